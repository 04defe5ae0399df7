#pragma once

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "service/cli/common/command.hpp"
#include "service/tables/against.hpp"
#include "service/tables/night.hpp"
#include "service/tables/summary.hpp"

// `vigil summarize`: the tables that people know, from files or from a night of the daemon.

namespace vigil::cli {

CommandSpec summarize_command();

/// @param run  as GET /api/v1/runs/{id} has it
/// @return  nothing of a run of another purpose than nightly
std::optional<tables::NightRun> night_run_of(const nlohmann::json& run);

/// What a night's own runs call worse or better, and its sessions did not find, becomes noise.
/// @param suspicions  of that night, as GET /api/v1/suspicions lists them
void take_out_noise(tables::ResultChanges& changes, const nlohmann::json& suspicions);

}  // namespace vigil::cli
