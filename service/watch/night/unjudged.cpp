#include "service/watch/night/unjudged.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "service/store/events.hpp"
#include "service/store/troubles.hpp"

namespace vigil::service {

namespace {

std::string subject_of(NightlyId nightly) {
    return "nightly/" + to_string(nightly);
}

std::string subject_of(SeriesId series) {
    return "series/" + to_string(series);
}

struct Unjudged {
    SeriesId series;
    std::string reason;
};

// Series of the night's own runs that passed, none of whose values can be judged.
std::vector<Unjudged> list_unjudged(Database& db, NightlyId nightly) {
    std::vector<Unjudged> unjudged;
    auto rows = db.query(
        "WITH mine AS (SELECT r.id FROM job j JOIN run r ON r.job_id = j.id "
        "AND r.attempt = j.attempt WHERE j.nightly_id = ?1 AND j.purpose = 'nightly') "
        "SELECT u.series_id, u.reason FROM mine CROSS JOIN unjudged_measurement u "
        "ON u.run_id = mine.id UNION ALL SELECT m.series_id, 'its value is ' || m.median FROM mine "
        "CROSS JOIN measurement m ON m.run_id = mine.id WHERE NOT EXISTS (SELECT 1 FROM "
        "judged_measurement v WHERE v.run_id = m.run_id AND v.series_id = m.series_id) "
        "ORDER BY 1",
        nightly);
    while (rows.next()) {
        const auto series = rows.get<SeriesId>(0);
        if (!unjudged.empty() && unjudged.back().series == series) continue;
        unjudged.push_back({series, rows.get<std::string>(1)});
    }
    return unjudged;
}

void end_judged_again(Database& db, const std::set<SeriesId>& judged, std::int64_t now_s) {
    const auto troubles = list_troubles(db, series_not_judged);
    if (troubles.empty()) return;
    std::set<std::string> subjects;
    for (const auto series : judged) subjects.insert(subject_of(series));
    for (const auto& open : troubles) {
        if (subjects.contains(open.subject)) {
            end_trouble(db, series_not_judged, open.subject, now_s);
        }
    }
}

}  // namespace

void set_aside_series(
    Database& db,
    const SeriesRow& series,
    NightlyId nightly,
    const std::string& why,
    std::int64_t now_s) {
    const auto words = words_of(db, series) + ": " + why;
    record_event(db, now_s, "series.set_aside", series.project, subject_of(nightly), words);
    const Trouble trouble{
        .kind = std::string(series_not_judged),
        .subject = subject_of(series.id),
        .project = series.project,
        .message = words + "; its nights are not judged until it has values again"};
    note_trouble(db, trouble, now_s);
}

int set_aside_unjudged(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s) {
    std::set<SeriesId> judged;
    for (const auto& series : list_series_of(db, nightly)) judged.insert(series.id);
    end_judged_again(db, judged, now_s);
    int count = 0;
    for (const auto& one : list_unjudged(db, nightly)) {
        if (judged.contains(one.series)) continue;
        const auto series = load_series(db, one.series);
        const auto& metrics = config.judged;
        if (std::find(metrics.begin(), metrics.end(), series.metric) == metrics.end()) continue;
        set_aside_series(db, series, nightly, one.reason, now_s);
        ++count;
    }
    return count;
}

}  // namespace vigil::service
