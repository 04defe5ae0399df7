#pragma once

#include <cstdint>

#include "service/store/database.hpp"
#include "service/store/findings/regressions.hpp"

namespace vigil::service {

/// Where an open regression of the project has the culprit that this one's search has just named
/// and verified, or is left with the same commits, which cannot be told apart, its series join that
/// one, and this one closes: one change, one issue
/// (docs/decisions.md, 0018).
/// @return  whether it joined
bool join_same_cause(Database& db, const RegressionRow& regression, std::int64_t now_s);

}  // namespace vigil::service
