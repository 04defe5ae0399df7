#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bisect/detect/series_record.hpp"
#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// The tables `series_record`, what the loop of a series remembers, and `stale_record`, whose record
// no longer tells its history.

namespace vigil::service {

struct RecordRow {
    NightlyId newest;                            ///< the newest night it knows
    std::optional<detect::SeriesRecord> record;  ///< nothing: it cannot be read
};
std::optional<RecordRow> find_record(Database& db, SeriesId series);

/// @param newest  the newest night it knows
void store_record(
    Database& db, SeriesId series, NightlyId newest, const detect::SeriesRecord& record);
void drop_record(Database& db, SeriesId series);

/// The history of what a nightly measured has changed, whole or of one worker: the records of these
/// series are stale.
void mark_stale(Database& db, NightlyId nightly, std::optional<WorkerId> worker);
void mark_stale(Database& db, SeriesId series);
/// @return  whether it was
bool unmark_stale(Database& db, SeriesId series);

bool has_stale(Database& db, ProjectId project);

struct StaleRecord {
    SeriesId series;
    std::string project;              ///< its name
    std::optional<NightlyId> newest;  ///< that the record knows; nothing: there is none
};
/// Those whose question is not open.
std::vector<StaleRecord> list_stale(Database& db, int limit);

}  // namespace vigil::service
