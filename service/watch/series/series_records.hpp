#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bisect/detect/series_loop.hpp"
#include "service/config/config.hpp"
#include "service/store/series/values.hpp"

// What the loop of a series remembers, in the ledger: a night is judged from it, not from history.

namespace vigil::service {

/// The rules of a series' loop, by the config and by what is measured.
detect::LoopRules loop_rules(Database& db, const ProjectConfig& config, const SeriesRow& series);

/// The records of one night's series as they stand before it. What is not stored, or does not end
/// with the newest night before, is made anew from values, answers and levels of the ledger.
class SeriesRecords {
  public:
    SeriesRecords(Database& db, const ProjectConfig& config, ProjectId project, NightlyId tonight);

    detect::SeriesRecord before_tonight(const SeriesRow& series);

  private:
    Database& db_;
    const ProjectConfig& config_;
    NightlyId tonight_;
    std::optional<NightlyId> before_;  ///< the night before, of the project
};

/// The record as it is stored, if it can be read.
/// @param until  only if this is the newest night it knows
std::optional<detect::SeriesRecord> load_record(
    Database& db, SeriesId series, std::optional<NightlyId> until = std::nullopt);

/// @param newest  the newest night it knows
void store_record(
    Database& db, SeriesId series, NightlyId newest, const detect::SeriesRecord& record);

/// The history of what a nightly measured has changed, whole or of one worker: the records of these
/// series are made anew, by the next night that asks for one or by remake_records().
void mark_stale(Database& db, NightlyId nightly, std::optional<WorkerId> worker);

/// Makes stale records anew, so that the next night does not have to; each by itself. One whose
/// question is open waits for its answer.
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

/// Writes down a level that the loop has begun by itself.
/// @param newest  the newest night it knew
void note_level(
    Database& db,
    SeriesId series,
    NightlyId first_night,
    NightlyId newest,
    const std::string& reason,
    std::int64_t now_s);

/// An answer as the ledger keeps it.
std::string to_text(const detect::Answer& answer);
/// @throws Error{data_loss}
detect::Answer parse_answer(const std::string& text);

}  // namespace vigil::service
