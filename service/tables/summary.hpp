#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "service/tables/batches.hpp"
#include "service/tables/breakdown.hpp"
#include "service/tables/dashboard.hpp"
#include "service/tables/scaling.hpp"

namespace vigil::tables {

struct SummaryWishes {
    /// The backend that the others are measured against, or the device, version or setting; empty:
    /// "eager", or what else published tables call it.
    std::string base;
    std::vector<Rule> rules = {Rule::runner_v1, Rule::hud_v2, Rule::paired_v1};
};

/// All tables that the results have numbers for. Its tables point into `results`: moved, not
/// copied.
struct Summary {
    Summary() = default;
    Summary(const Summary&) = delete;
    Summary& operator=(const Summary&) = delete;
    Summary(Summary&&) = default;
    Summary& operator=(Summary&&) = default;

    std::string base;             ///< the backend that the others are measured against
    std::vector<Result> results;  ///< with ratios
    std::vector<DashboardSuite> dashboard;
    std::vector<BatchTable> batches;
    std::vector<BatchTable> across;  ///< by device, by version, by setting
    std::vector<ScalingTable> scaling;
    Breakdown breakdown;
    std::map<std::string, std::size_t> domains;  ///< models by domain, of a list of models alone
    std::vector<std::string> notes;

    bool empty() const;
};

Summary summarize(const ResultList& list, const SummaryWishes& wishes);

enum class Detail { headlines, models };

/// Markdown. Numbers are rounded half up: speedups and ratios to two decimals, with an x.
std::string summary_text(const Summary& summary, Detail detail);

/// The same with every number as it is, and with the results, which `read_results` takes back.
nlohmann::json summary_json(const Summary& summary);

/// One headline with its rule and whom each of its numbers leaves out.
void to_json(nlohmann::json& value, const Headline& line);

}  // namespace vigil::tables
