#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/model/metric.hpp"
#include "service/cli/common/command.hpp"
#include "service/cli/history/history.hpp"
#include "service/lab/watch_rule.hpp"

// Histories replayed as if night by night: what would have been said, and how late. Pure functions.

namespace vigil::cli {

struct BacktestRules {
    Direction direction = Direction::lower_is_better;
    std::optional<std::size_t> start;  ///< first night judged; nullopt: each series' own
    std::size_t within = 14;           ///< nights after a labelled one in which an alarm is right
    WatchRule rule;
};

/// One alarm of a replay: a change for the worse, on the night that raised it.
struct ReplayedAlarm {
    std::size_t night = 0;
    std::size_t first = 0;  ///< where it says that the new level began
    double change_ratio = 0;
    std::optional<std::size_t> label;  ///< the labelled night it belongs to
};

struct Replay {
    std::string series;
    std::size_t nights = 0;  ///< judged: measured, from the start on
    std::vector<ReplayedAlarm> alarms;
    std::size_t improvements = 0;
    std::size_t suspicions = 0;  ///< nights whose score is worth a measurement of their own
    bool labelled = false;
    std::vector<std::size_t> labels;                 ///< from the start on
    std::vector<std::optional<std::size_t>> delays;  ///< [labels] nights until an alarm
    std::size_t exact = 0;  ///< caught labels whose alarm names their very night
};

/// An alarm belongs to the newest labelled night that is at most `within` nights before it. Of
/// several alarms for one label the first counts; the others are neither right nor false.
Replay replay_history(const History& history, const BacktestRules& rules);

/// Several replays taken together.
struct BacktestTotals {
    std::size_t series = 0, nights = 0, alarms = 0, improvements = 0, suspicions = 0;
    std::size_t labelled_nights = 0;  ///< of series with labels; `false_alarms` are among these
    std::size_t false_alarms = 0;
    std::size_t labels = 0, caught = 0, exact = 0;
    std::size_t caught_within_1 = 0, caught_within_3 = 0, caught_within_7 = 0;
    std::optional<double> median_delay;  ///< of the caught

    double per_thousand(std::size_t count) const;
    double false_per_thousand() const;  ///< of labelled_nights
};

BacktestTotals totals_of(const std::vector<Replay>& replays);

std::string backtest_text(const std::vector<Replay>& replays);
nlohmann::json backtest_json(const std::vector<Replay>& replays);

/// `vigil-lab backtest`
CommandSpec backtest_command();

}  // namespace vigil::cli
