#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// Rows that tell of something stuck or lost. Each function reads what is open, or the newest rows
// of an index, or one row for each series, however many years the ledger has.

namespace vigil::service {

/// A job that a worker holds for a long time, or whose lease is over and was not taken back.
struct HeldJob {
    JobId job;
    std::string worker;
    std::int64_t claimed_at_s = 0;  ///< UTC
    std::int64_t overdue_s = 0;     ///< since its lease is over; below 0: it is not
};
/// Those claimed before a time (UTC), or whose lease ended before a steady time. Oldest first.
std::vector<HeldJob> list_held_jobs(
    Database& db,
    std::int64_t claimed_before_s,
    std::int64_t ended_before_steady_s,
    std::int64_t steady_s,
    int limit);

/// Messages that a report target did not take, among the newest `looked_at` that were given up.
struct GivenUpMessages {
    std::string target;
    std::int64_t count = 0;
    std::int64_t newest = 0;   ///< id of its newest message
    std::int64_t since_s = 0;  ///< UTC; when the oldest report was written
};
std::vector<GivenUpMessages> count_given_up(Database& db, int looked_at);

/// The time of the newest event, UTC; 0: there is none.
std::int64_t newest_event_s(Database& db);

/// When the ledger first knew a project, UTC; 0: it knows none.
std::int64_t ledger_since_s(Database& db);

/// A series that was measured once, and in none of the newest nights.
struct SilentSeries {
    SeriesId id;
    std::string benchmark;  ///< as people read it, with its case
    std::string variant;
    std::string machine_class;
    std::string metric;
    std::int64_t last_s = 0;  ///< UTC; when the last night began that measured it
};
/// Of a project: last measured in one of its newest `within` nights that are done, and in none of
/// the newest `silent`. In the order of their ids.
std::vector<SilentSeries> list_silent_series(
    Database& db, ProjectId project, int silent, int within, int limit);

/// An active worker that holds no job.
struct SilentWorker {
    std::string name;
    std::string machine_class;
    std::int64_t last_seen_at_s = 0;  ///< UTC
};
std::vector<SilentWorker> list_silent_workers(Database& db, std::int64_t seen_before_s, int limit);

/// A worker whose clock and the daemon's differ.
struct SkewedWorker {
    std::string name;
    std::int64_t ahead_s = 0;  ///< at least so much; below 0: it is behind
};
/// By the newest run of each worker among the newest `looked_at`: it began, as the worker's clock
/// says, before the daemon gave it the job or after it had the result.
std::vector<SkewedWorker> list_skewed_workers(Database& db, std::int64_t over_s, int looked_at);

/// A night that has not ended.
struct LongNight {
    NightlyId id;
    std::string project;
    std::string name;
    std::string state;
    std::int64_t created_at_s = 0;  ///< UTC
};
/// Begun before a time, but for those of backfills, which take their time.
std::vector<LongNight> list_long_nights(Database& db, std::int64_t begun_before_s, int limit);

/// A search that has not ended.
struct LongSearch {
    BisectionId id;
    std::string project;
    std::string state;
    std::int64_t created_at_s = 0;  ///< UTC
};
std::vector<LongSearch> list_long_searches(Database& db, std::int64_t begun_before_s, int limit);

/// A token that stops to work soon.
struct EndingToken {
    std::string name;
    std::int64_t expires_at_s = 0;  ///< UTC
};
/// Those that expire in a stretch of time and were not revoked.
std::vector<EndingToken> list_ending_tokens(
    Database& db, std::int64_t since_s, std::int64_t until_s, int limit);

}  // namespace vigil::service
