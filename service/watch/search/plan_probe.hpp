#pragma once

#include <cstdint>
#include <vector>

#include "schema/model/job.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisections.hpp"

namespace vigil::service {

/// Makes what a search asked for a probe with its job, and tells of it.
/// @param number  of the probe
/// @param builds  what the plan's steps point at
void plan_probe(
    Database& db,
    const BisectionRow& bisection,
    int number,
    const search::ProbeRequest& request,
    std::vector<BuildId> builds,
    JobPlan plan,
    std::int64_t now_s);

}  // namespace vigil::service
