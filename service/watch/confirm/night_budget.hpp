#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bisect/detect/worth.hpp"
#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/series/values.hpp"

// A night measures again what it has runs for, the most valuable suspicion first; the rest goes on
// another night (docs/confirmation.md, "A night's budget").

namespace vigil::service {

/// The runs of a night: what is measured again has taken or holds some, storms' checks too.
detect::RunBudget load_budget(Database& db, const ProjectConfig& config, NightlyId nightly);

/// Opens sessions for the night's open suspicions while there are runs, the most valuable first;
/// what no longer runs is asked in any case, before all others.
/// @return  the sessions that begin, in this order
std::vector<SessionId> begin_sessions(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s);

/// Ends the night's suspicions that nothing was measured for: they go on with the next night.
void let_wait(Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s);

/// In words, for a suspicion that is not decided when the night's runs are spent.
std::string runs_are_spent(const ProjectConfig& config);

}  // namespace vigil::service
