#pragma once

#include "service/store/lists/list.hpp"

// What REST lists: /api/v1/canaries is `lists::canaries`. They read every table and change none.

namespace vigil::service::lists {

// fleet.cpp
extern const List allocations;  ///< machines that a cluster was asked for
extern const List audit;
extern const List canaries;
extern const List deliveries;    ///< never a body: it may hold what is nobody's business
extern const List environments;  ///< of workers: each with the one before it, as `before`
extern const List jobs;
extern const List storms;
extern const List tokens;
extern const List triggers;
extern const List workers;

// findings.cpp
extern const List bisections;
extern const List events;
extern const List missed;  ///< regressions that people told, because they were not found
extern const List mutes;
extern const List outbox;
extern const List regressions;
extern const List reports;
extern const List requests;
extern const List troubles;

// nights.cpp
extern const List backfills;
extern const List drifts;
extern const List imports;  ///< a row for what was sent of a night and a machine class
extern const List nightlies;
extern const List projects;
extern const List retention;  ///< nights that are rolled up, and what is gone of them
extern const List dropped;    ///< content that went, by day, kind and reason
extern const List summaries;  ///< what a night's summary tells besides
extern const List suspicions;

// notices.cpp
extern const List notices;
extern const List pulls;

// runs.cpp
extern const List builds;
extern const List runs;
extern const List series;
/// The nights of the series `id` of the route; one in which it was not measured has no runs.
extern const List series_nights;
/// Each with all that `vigil detect` asks of a series; oldest first, behind the filter `after`.
extern const List exported_series;

/// Events behind `after` as `events` lists them, but oldest first.
nlohmann::json load_events_after(Database& db, std::int64_t after, int limit);

/// What a series was measured as, newest first.
nlohmann::json load_points(Database& db, std::int64_t series, int limit);

}  // namespace vigil::service::lists
