#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bisect/detect/worth.hpp"
#include "service/config/config.hpp"
#include "service/store/series/suspicions.hpp"

// A night measures again what it has runs for, the most valuable suspicion first; the rest goes on
// another night (docs/confirmation.md, "A night's budget").

namespace vigil::service {

/// The runs of a night: what is measured again has taken or holds some, storms' checks too.
detect::RunBudget load_budget(Database& db, const ProjectConfig& config, NightlyId nightly);

/// In the order they get runs: what no longer runs, then the most valuable.
/// @param open  suspicions, in the order they were opened
std::vector<OpenSuspicion> in_turn(const std::vector<OpenSuspicion>& open);

/// Suspicions about the same variant and builds, which one session measures.
struct SessionSuspicions {
    std::vector<OpenSuspicion> suspicions;
    std::string case_name = {};  ///< that runs alone; empty: the whole program runs
};

/// The sessions that begin while there are runs, in this order. What no longer runs is asked in any
/// case.
/// @param open    no session measures them yet; in the order they were opened, and so in a session
/// @param alone   those whose case is measured alone, with the case
/// @param budget  of the night; they are counted
std::vector<SessionSuspicions> choose_sessions(
    const std::vector<OpenSuspicion>& open,
    const std::map<SuspicionId, std::string>& alone,
    detect::RunBudget& budget);

/// Ends open suspicions that nothing was measured for: they go on with the next night.
/// @param open  in the order they were opened
void let_wait(
    Database& db,
    const std::vector<OpenSuspicion>& open,
    const detect::RunBudget& budget,
    std::int64_t now_s);

/// In words, for a suspicion that is not decided when the night's runs are spent.
std::string runs_are_spent(const detect::RunBudget& budget);

}  // namespace vigil::service
