#include "service/watch/night/drifts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/trend/past.hpp"
#include "bisect/trend/segments.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/store/events.hpp"
#include "service/store/series/values.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

constexpr int drift_history_nights = 120;
constexpr std::size_t least_drift_nights = 15;
constexpr double grown_by = 0.01;  // change ratio: then a listed drift is listed anew

struct NewDrift {
    std::string kind;
    NightlyId since, earliest, latest;
    std::optional<SuspicionId> suspicion;
    double before = 0, after = 0;
    double change_ratio = 0, low = 0, high = 0;
};

/// What is known of the same place is listed again only when it has grown.
bool is_listed(Database& db, SeriesId series, const NewDrift& drift) {
    return db
        .find<int>(
            "SELECT 1 FROM drift WHERE series_id = ?1 AND since_earliest_id <= ?3 "
            "AND since_latest_id >= ?2 AND (change_ratio > 0) = (?4 > 0) "
            "AND abs(change_ratio) >= abs(?4) - ?5 AND NOT EXISTS (SELECT 1 FROM left_out o "
            "WHERE o.nightly_id = drift.nightly_id AND o.worker_id = 0) LIMIT 1",
            series,
            drift.earliest,
            drift.latest,
            drift.change_ratio,
            grown_by)
        .has_value();
}

bool add_drift(
    Database& db,
    const SeriesRow& series,
    NightlyId nightly,
    const NewDrift& drift,
    std::int64_t now_s) {
    if (is_listed(db, series.id, drift)) return false;
    db.execute(
        "INSERT INTO drift(series_id, kind, nightly_id, since_nightly_id, since_earliest_id, "
        "since_latest_id, suspicion_id, before, after, change_ratio, low, high, created_at_s) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        series.id,
        drift.kind,
        nightly,
        drift.since,
        drift.earliest,
        drift.latest,
        drift.suspicion,
        drift.before,
        drift.after,
        drift.change_ratio,
        drift.low,
        drift.high,
        now_s);
    record_event(
        db,
        now_s,
        "drift.found",
        series.project,
        "drift/" + std::to_string(db.last_insert_id()),
        fmt::format(
            "{} {} {}: {:+.2f} % since nightly {}, {}",
            series.benchmark,
            series.variant,
            to_string(series.metric),
            100 * drift.change_ratio,
            *db.find<std::string>("SELECT version FROM nightly WHERE id = ?1", drift.since),
            drift.kind));
    return true;
}

NightlyId night_after(Database& db, NightlyId nightly) {
    return db
        .find<NightlyId>(
            "SELECT MIN(id) FROM night WHERE id > ?1 AND project_id = "
            "(SELECT project_id FROM nightly WHERE id = ?1)",
            nightly)
        .value_or(nightly);
}

/// Suspicions that were measured again: real, and not above the threshold.
int record_measured(Database& db, NightlyId nightly, std::int64_t now_s) {
    struct Measured {
        SeriesId series;
        NightlyId good;
        NewDrift drift;
    };
    std::vector<Measured> measured;
    auto rows = db.query(
        "SELECT id, series_id, good_nightly_id, creep, confirmed, since_nightly_id, "
        "since_earliest_id, since_latest_id FROM suspicion WHERE nightly_id = ?1 "
        "AND verdict = 'drift' ORDER BY id",
        nightly);
    while (rows.next()) {
        Measured one{rows.get<SeriesId>(1), rows.get<NightlyId>(2), {}};
        const auto confirmed = wire::parse_comparison(
            wire::parse_json(rows.get<std::string>(4), "suspicion.confirmed"));
        one.drift.kind = rows.get<bool>(3) ? "creep" : "measured";
        one.drift.suspicion = rows.get<SuspicionId>(0);
        one.drift.before = confirmed.before;
        one.drift.after = confirmed.after;
        one.drift.change_ratio = confirmed.change_ratio;
        one.drift.low = confirmed.low;
        one.drift.high = confirmed.high;
        one.drift.since = rows.get<std::optional<NightlyId>>(5).value_or(nightly);
        one.drift.earliest = rows.get<std::optional<NightlyId>>(6).value_or(NightlyId{0});
        one.drift.latest = rows.get<std::optional<NightlyId>>(7).value_or(nightly);
        measured.push_back(one);
    }
    int added = 0;
    for (auto& one : measured) {
        if (is_left_out(db, nightly, one.series)) continue;
        // It lies after the build that it was measured against.
        const auto after_good = night_after(db, one.good);
        one.drift.earliest = std::max(one.drift.earliest, after_good);
        one.drift.since = std::max(one.drift.since, after_good);
        one.drift.latest = std::max(one.drift.latest, one.drift.since);
        const auto series = load_series(db, one.series);
        added += add_drift(db, series, nightly, one.drift, now_s) ? 1 : 0;
    }
    return added;
}

int record_from_history(
    Database& db,
    const SeriesRow& series,
    NightlyId nightly,
    double threshold,
    std::int64_t now_s) {
    const auto is_drift = [&](const trend::PastChange& change) {
        // What is above the threshold is a suspicion's business.
        return change.certain && std::abs(change.change_ratio) <= threshold;
    };
    // What is remembered mostly tells that there is nothing, without the nights.
    if (const auto record = load_record(db, series.id, nightly)) {
        const auto level = detect::level_values(*record);
        if (level.size() < least_drift_nights || !trend::may_have_levels(level)) return 0;
        const auto changes = trend::find_past_changes(level, series.direction);
        if (std::none_of(changes.begin(), changes.end(), is_drift)) return 0;
    }
    const auto nights = load_level(db, series.id, nightly, drift_history_nights);
    if (nights.size() < least_drift_nights || nights.back().nightly != nightly) return 0;
    std::vector<double> values;
    for (const auto& night : nights) values.push_back(night.value);
    int added = 0;
    for (const auto& change : trend::find_past_changes(values, series.direction)) {
        if (!is_drift(change)) continue;
        NewDrift drift{
            "history",
            nights[change.first].nightly,
            nights[change.earliest].nightly,
            nights[change.latest].nightly,
            std::nullopt,
            change.before,
            change.after,
            change.change_ratio,
            change.low,
            change.high};
        added += add_drift(db, series, nightly, drift, now_s) ? 1 : 0;
    }
    return added;
}

}  // namespace

int record_drifts(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s) {
    int added = record_measured(db, nightly, now_s);
    for (const auto& series : list_series_of(db, nightly)) {
        const auto& judged = config.judged;
        if (std::find(judged.begin(), judged.end(), series.metric) == judged.end()) continue;
        const double threshold = threshold_of(config.thresholds, series.metric);
        added += record_from_history(db, series, nightly, threshold, now_s);
    }
    return added;
}

}  // namespace vigil::service
