#pragma once

#include <cstdint>

#include "service/config/config.hpp"
#include "service/report/facts/regression_facts.hpp"

// One comment on the pull request that brought a verified culprit, kept up to date.

namespace vigil::service {

/// A regression's report has a new version: where its culprit is verified, the pull request that
/// brought it is asked for, of each target that wants such comments and has the report; and what
/// was said of it before is written anew. In the caller's transaction.
void note_culprit(Database& db, const Config& config, const RegressionFacts& facts);

/// Writes the comments of pull requests of which regressions changed, as notices in the caller's
/// transaction, once an issue can be named. Nothing is sent here. @return  how many
int culprit_step(Database& db, const Config& config, std::int64_t now_s);

}  // namespace vigil::service
