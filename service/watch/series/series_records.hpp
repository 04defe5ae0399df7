#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bisect/detect/series_answer.hpp"
#include "bisect/trend/explained.hpp"
#include "service/config/config.hpp"
#include "service/store/series/levels.hpp"
#include "service/store/series/records.hpp"
#include "service/store/series/values.hpp"

// What the loop of a series remembers: a night is judged from it, not from history.

namespace vigil::service {

/// Whether a series of this metric is judged.
/// @param judging  as it was settled
bool is_judged(const ProjectConfig& config, Metric metric, Judging judging);
/// The change ratio above which a series is worse.
double threshold_of(const ProjectConfig& config, const SeriesRow& series);
inline bool is_judged(const ProjectConfig& config, const SeriesRow& series) {
    return is_judged(config, series.metric, series.judging);
}

/// The rules of a series' loop, by the config and by what is measured.
detect::LoopRules loop_rules(Database& db, const ProjectConfig& config, const SeriesRow& series);

/// Nothing where no plan tells any more how the series is run.
std::optional<detect::LoopRules> find_loop_rules(
    Database& db, const ProjectConfig& config, const SeriesRow& series);

/// The records of one night's series as they stand before it. What is not stored, or does not end
/// with the newest night before, is made anew from values, answers and levels of the ledger.
class SeriesRecords {
  public:
    SeriesRecords(Database& db, const ProjectConfig& config, ProjectId project, NightlyId tonight);

    detect::SeriesRecord before_tonight(const SeriesRow& series);

  private:
    std::optional<detect::SeriesRecord> find_remembered(const SeriesRow& series);

    Database& db_;
    const ProjectConfig& config_;
    NightlyId tonight_;
    std::optional<NightlyId> before_;  ///< the night before, of the project
};

/// The record as it is stored, if it can be read and judged by.
/// @param until  only if this is the newest night it knows
std::optional<detect::SeriesRecord> load_record(
    Database& db, SeriesId series, std::optional<NightlyId> until = std::nullopt);

/// What the newest night of a series would ask about by the ledger as it is now, if nothing has
/// answered it and no session is about to.
std::optional<detect::NightWord> find_unanswered(
    Database& db, const ProjectConfig& config, const SeriesRow& series);

/// What the loop says of a night that it can judge.
struct FollowedNight {
    NightlyId nightly;
    double base = 0;   ///< what it is held against, the metric's unit
    double score = 0;  ///< of the newest nights as a step, nats
};

/// Nights of a series as the loop that judges it takes them: by answers and levels of the ledger;
/// what was open that night (regressions, a pinned night) is not asked.
/// @param nights  those with a value, oldest first; the first ones, at best a level_window before
///                those that are asked for, teach the loop its noise
/// @return  without the nights that begin a level
std::vector<FollowedNight> follow_series(
    Database& db,
    const detect::LoopRules& rules,
    SeriesId series,
    std::span<const NightValues> nights);

/// Why a night of a series says what it says.
struct NightWhy {
    double value = 0;  ///< metric's unit
    detect::NightWord word;
    trend::ExplainedNight shape;
    std::vector<NightlyId> nights;    ///< those that the words of the shape may name, ...
    std::vector<std::size_t> places;  ///< ... at these places

    /// @return  nothing where it is not remembered
    std::optional<NightlyId> night_at(std::size_t place) const;
};

/// By values, answers and levels of the ledger; what was open that night is not asked.
/// @return  nothing where no run of the night is judged
std::optional<NightWhy> explain_series_night(
    Database& db, const detect::LoopRules& rules, SeriesId series, NightlyId nightly);

/// Makes stale records anew, so that the next night that asks for one does not have to; each by
/// itself. One whose question is open waits for its answer.
/// @return  how many
int remake_records(Database& db, const Config& config, int limit);

/// Begins a level of the series with a night, whatever its values say: the row, and the record.
/// @param first_night  at or before the newest night that is known, or the next one
/// @param forgets      what earlier nights taught of its noise no longer holds
void begin_level(
    Database& db,
    SeriesId series,
    NightlyId first_night,
    const std::string& reason,
    std::int64_t now_s,
    bool forgets = false);

/// A machine moved and stayed: times that it measures begin new levels.
/// @param nightly   whose series these are
/// @param first     the night it moved
/// @param is_moved  whether one of them is such a time
/// @return  how many
int begin_levels_of_times(
    Database& db,
    NightlyId nightly,
    NightlyId first,
    const std::string& why,
    const std::function<bool(const SeriesRow&)>& is_moved,
    std::int64_t now_s);

}  // namespace vigil::service
