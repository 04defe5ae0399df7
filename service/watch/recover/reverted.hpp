#pragma once

#include <cstdint>

#include "service/config/config.hpp"
#include "service/store/database.hpp"

// A culprit that was reverted while its series stay as they are: something else keeps the level up,
// and the regression says so.

namespace vigil::service {

/// Asks the git lane for the commits since each open regression with a culprit was found, where
/// nothing of it looks as if it were back: one of them may be a revert. Of the last 30 nights.
void expect_reverts(Database& db, const ProjectConfig& config, NightlyId nightly);

/// Keeps what says that a culprit was reverted, where some of its series were measured tonight and
/// none came back; the regression is told anew, and the event "regression.still_worse" tells of
/// each revert once. Called when all of the night is confirmed.
void tell_reverts(Database& db, const Config& config, NightlyId nightly, std::int64_t now_s);

}  // namespace vigil::service
