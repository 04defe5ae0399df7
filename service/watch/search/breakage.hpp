#pragma once

#include <cstdint>
#include <string>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/nights/nightlies.hpp"

// The search for the commit that breaks the build of a nightly: a bisection of kind `build`, whose
// probes are jobs that build one commit and run nothing.

namespace vigil::service {

/// Ends the waiting jobs of a nightly whose build has failed as often as it is tried, on every
/// machine class whose toolchains failed and none built it. @return how many
int end_unbuildable_jobs(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s);

/// Begins the search where a nightly's build failed, an earlier nightly's build exists, and single
/// commits can be built. @return whether it began
bool search_breakage(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s);

/// Moves it one step on: one build at a time, none that is under way for anything else. What is
/// found waits for the log of its build, then it is done.
void advance_breakage(
    Database& db, const ProjectConfig& config, const BisectionRow& search, std::int64_t now_s);

/// @param tail  last lines, a stranger's text; empty: the log is gone
void record_log_tail(
    Database& db, BisectionId bisection, const std::string& tail, std::int64_t now_s);

}  // namespace vigil::service
