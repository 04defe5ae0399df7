#include "service/watch/night/drifts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bisect/trend/past.hpp"
#include "bisect/trend/segments.hpp"
#include "service/store/alone.hpp"
#include "service/store/events.hpp"
#include "service/store/json_columns.hpp"
#include "service/store/series/drifts.hpp"
#include "service/store/series/suspicions.hpp"
#include "service/store/series/values.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

constexpr int drift_history_nights = 120;
constexpr std::size_t least_drift_nights = 15;
constexpr double grown_by = 0.01;  // change ratio: then a listed drift is listed anew

/// What is known of the same place is listed again only when it has grown. @return how many: 0, 1
int list_drift(Database& db, const SeriesRow& series, const NewDrift& drift, std::int64_t now_s) {
    if (is_listed(db, drift, grown_by)) return 0;
    const auto subject = "drift/" + std::to_string(add_drift(db, drift, now_s));
    const auto words = fmt::format(
        "{} {} {}: {:+.2f} % since nightly {}, {}",
        series.benchmark,
        series.variant,
        to_string(series.metric),
        100 * drift.change_ratio,
        load_nightly(db, drift.since).version,
        drift.kind);
    record_event(db, now_s, "drift.found", series.project, subject, words);
    return 1;
}

/// @param after_good  the night after the build that it was measured against: it lies there or
/// later
NewDrift measured_drift(NightlyId nightly, const DriftVerdict& verdict, NightlyId after_good) {
    const auto confirmed = TextColumn<Comparison>::parse(verdict.confirmed);
    const auto since = std::max(verdict.since.value_or(nightly), after_good);
    return {
        .series = verdict.series,
        .nightly = nightly,
        .kind = verdict.is_creep ? "creep" : "measured",
        .since = since,
        .earliest = std::max(verdict.earliest.value_or(NightlyId{0}), after_good),
        .latest = std::max(verdict.latest.value_or(nightly), since),
        .suspicion = verdict.suspicion,
        .before = confirmed.before,
        .after = confirmed.after,
        .change_ratio = confirmed.change_ratio,
        .low = confirmed.low,
        .high = confirmed.high};
}

/// Suspicions that were measured again: real, and not above the threshold.
int record_measured(Database& db, const NightlyRow& nightly, std::int64_t now_s) {
    int added = 0;
    for (const auto& verdict : list_drift_verdicts(db, nightly.id)) {
        if (is_left_out(db, nightly.id, verdict.series)) continue;
        const auto list = [&] {
            const auto after_good =
                find_night_after(db, nightly.project, verdict.good).value_or(verdict.good);
            const auto drift = measured_drift(nightly.id, verdict, after_good);
            added += list_drift(db, load_series(db, verdict.series), drift, now_s);
        };
        const auto trouble = try_alone(db, list);
        if (!trouble) continue;
        const auto words = fmt::format(
            "the drift of suspicion {} is left out: {}", to_string(verdict.suspicion), *trouble);
        record_nightly_event(db, nightly, "nightly.part_failed", words, now_s);
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
        const NewDrift drift{
            series.id,
            nightly,
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
        added += list_drift(db, series, drift, now_s);
    }
    return added;
}

}  // namespace

int record_drifts(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s) {
    int added = record_measured(db, nightly, now_s);
    for (const auto& series : list_series_of(db, nightly.id)) {
        if (!is_judged(config, series)) continue;
        const double threshold = threshold_of(config, series);
        added += record_from_history(db, series, nightly.id, threshold, now_s);
    }
    return added;
}

}  // namespace vigil::service
