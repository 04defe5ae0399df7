#pragma once

#include <cstdint>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/watch/bisection_records.hpp"

namespace vigil::service {

/// Makes one regression of the night's confirmed suspicions that share their two builds, and one
/// bisection for it where the project's commits can be built. Says why where they cannot.
/// @return  how many regressions were opened
int open_regressions(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s);

/// Ends a bisection: the regression takes the first cause, every further cause becomes a regression
/// of its own (split from it), series that did not reproduce leave.
void conclude_bisection(
    Database& db, BisectionId bisection, const BisectionConclusion& conclusion, std::int64_t now_s);

/// Ends a bisection that cannot go on: the regression keeps its whole range, and says why.
void fail_bisection(
    Database& db, BisectionId bisection, const std::string& why, std::int64_t now_s);

}  // namespace vigil::service
