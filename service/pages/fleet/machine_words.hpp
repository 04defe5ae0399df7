#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "service/api/rows/findings.hpp"
#include "service/api/rows/fleet.hpp"

// Machines and queue in words and drawings. Pure functions of what the API lists.

namespace vigil::service {

/// Items of the API's lists, of which some do not go on by themselves.
struct StuckThings {
    std::vector<ListedTrouble> troubles;  ///< open ones
    std::vector<ListedWorker> workers;    ///< all: held or silent ones are stuck
    std::vector<ListedJob> jobs;          ///< parked ones of nights under way
    std::vector<ListedMessage> messages;  ///< given up
    std::vector<ListedNotice> notices;    ///< given up
};

/// Each with why, and with the form that has it tried again.
nlohmann::json stuck_rows(const StuckThings& stuck, std::int64_t now_s);

/// "2 things are stuck", or that nothing is.
std::string stuck_title(const nlohmann::json& stuck, std::size_t workers);

/// Each fact of a worker's machine that changed, newest first.
/// @param environments  of one worker, newest first
nlohmann::json environment_rows(
    const std::vector<ListedEnvironment>& environments, std::int64_t now_s);

/// How a worker's reference build measured in its last nights, for canaries.html; null below one.
/// @param canaries  of one worker, newest first
nlohmann::json canary_view(const std::vector<ListedCanary>& canaries, std::int64_t now_s);

}  // namespace vigil::service
