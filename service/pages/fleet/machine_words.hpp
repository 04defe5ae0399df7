#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

// Machines and queue in words and drawings. Pure functions of what the API lists.

namespace vigil::service {

/// What does not go on by itself, each with why: workers that are held or silent, parked jobs,
/// and messages that were given up.
/// @param workers, jobs, messages  items of their lists; the jobs are parked, the messages dead
nlohmann::json stuck_rows(
    const nlohmann::json& workers,
    const nlohmann::json& jobs,
    const nlohmann::json& messages,
    std::int64_t now_s);

/// "2 things are stuck", or that nothing is.
std::string stuck_title(const nlohmann::json& stuck, std::size_t workers);

/// How a worker's frozen build measured in its last nights, for canaries.html; null below one.
/// @param canaries  of one worker, newest first
nlohmann::json canary_view(const nlohmann::json& canaries, std::int64_t now_s);

}  // namespace vigil::service
