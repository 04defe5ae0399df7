#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

// Machines and queue in words and drawings. Pure functions of what the API lists.

namespace vigil::service {

/// Items of the API's lists, of which some do not go on by themselves.
struct StuckThings {
    const nlohmann::json& troubles;  ///< open ones
    const nlohmann::json& workers;   ///< all: held or silent ones are stuck
    const nlohmann::json& jobs;      ///< parked ones of nights under way
    const nlohmann::json& messages;  ///< given up
    const nlohmann::json& notices;   ///< given up
};

/// Each with why, and with the form that has it tried again.
nlohmann::json stuck_rows(const StuckThings& stuck, std::int64_t now_s);

/// "2 things are stuck", or that nothing is.
std::string stuck_title(const nlohmann::json& stuck, std::size_t workers);

/// Each fact of a worker's machine that changed, newest first.
/// @param environments  of one worker, newest first
nlohmann::json environment_rows(const nlohmann::json& environments, std::int64_t now_s);

/// How a worker's reference build measured in its last nights, for canaries.html; null below one.
/// @param canaries  of one worker, newest first
nlohmann::json canary_view(const nlohmann::json& canaries, std::int64_t now_s);

}  // namespace vigil::service
