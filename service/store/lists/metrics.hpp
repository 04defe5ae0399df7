#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/store/database.hpp"

// What the ledger counts for /metrics.

namespace vigil::service {

struct MetricSample {
    std::vector<std::pair<std::string, std::string>> labels;
    std::int64_t value = 0;
};

struct LedgerMetric {
    std::string_view name;
    std::string_view type;  ///< "gauge" or "counter"
    std::string_view help;
    std::vector<MetricSample> samples = {};
};

/// In the order in which they are told.
std::vector<LedgerMetric> load_metrics(Database& db, std::int64_t now_s);

}  // namespace vigil::service
