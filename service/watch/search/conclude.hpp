#pragma once

#include <cstdint>
#include <string>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisections.hpp"

namespace vigil::service {

/// Ends a bisection: the regression takes the first cause, every further cause becomes a regression
/// of its own (split from it), series that did not reproduce leave. A series that several commits
/// moved is in the regression of each, with what was verified of that commit alone. Where a cause
/// is a merge, a bisection inside of it begins, and its regression goes on searching; what the
/// merge's parents do not show alone stays with the merge.
void conclude_bisection(
    Database& db,
    const BisectionRow& bisection,
    const BisectionConclusion& conclusion,
    std::int64_t now_s);

/// Ends a bisection that cannot go on: the regression keeps its whole range, or the merge that was
/// searched inside, and says why.
void fail_bisection(
    Database& db, BisectionId bisection, const std::string& why, std::int64_t now_s);

/// What a bisection of a dependency's commits found, in words.
std::string said_of_dependency(
    Database& db, BisectionId bisection, const BisectionConclusion& conclusion);

}  // namespace vigil::service
