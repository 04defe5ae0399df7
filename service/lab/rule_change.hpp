#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "service/lab/backtest.hpp"

// The same histories replayed under two rules: which alarms appear, and which vanish.

namespace vigil::cli {

struct AlarmChange {
    enum class Kind { appears, vanishes, earlier, later };
    Kind kind = Kind::appears;
    std::size_t series = 0;  ///< position among the replays
    std::optional<ReplayedAlarm> before, after;
};

/// Alarms whose first nights are at most three apart are the same one.
/// @param before, after  replays of the same histories, in the same order
std::vector<AlarmChange> compare_replays(
    const std::vector<Replay>& before, const std::vector<Replay>& after);

std::string alarm_changes_text(
    const std::vector<AlarmChange>& changes, const std::vector<History>& histories);
nlohmann::json alarm_changes_json(
    const std::vector<AlarmChange>& changes, const std::vector<History>& histories);

}  // namespace vigil::cli
