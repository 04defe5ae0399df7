#pragma once

#include <cstdint>
#include <vector>

#include "service/config/config.hpp"
#include "service/config/links.hpp"
#include "service/store/findings/reported_requests.hpp"

namespace vigil::service {

/// What is told of a request, as plain values: rendering needs nothing else.
struct RequestedFacts : ReportedRequest {
    Links links;
    std::vector<JudgedSeries> series;  ///< the largest change first
    std::vector<UnjudgedVariant> unjudged;
    std::vector<UnjudgedVariant> broken;  ///< of a comparison: only `a` runs
    std::int64_t runs = 0;                ///< that its sessions made
};

/// Works in every state of a request: what is not there yet is empty.
/// @throws Error{not_found}
RequestedFacts load_requested_facts(Database& db, RequestId request, const Config& config);

}  // namespace vigil::service
