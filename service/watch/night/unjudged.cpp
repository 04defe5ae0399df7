#include "service/watch/night/unjudged.hpp"

#include <algorithm>
#include <set>

#include "service/store/troubles.hpp"
#include "service/store/work/night_runs.hpp"

namespace vigil::service {

namespace {

std::string subject_of(SeriesId series) {
    return "series/" + to_string(series);
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
    const NightlyRow& nightly,
    const std::string& why,
    std::int64_t now_s) {
    const auto words = words_of(db, series) + ": " + why;
    tell_of_nightly(db, nightly, "series.set_aside", words, now_s);
    const Trouble trouble{
        .kind = std::string(series_not_judged),
        .subject = subject_of(series.id),
        .project = series.project,
        .message = words + "; its nights are not judged until it has values again"};
    note_trouble(db, trouble, now_s);
}

int set_aside_unjudged(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s) {
    std::set<SeriesId> judged;
    for (const auto& series : list_series_of(db, nightly.id)) judged.insert(series.id);
    end_judged_again(db, judged, now_s);
    auto& known = judged;  // and those that are set aside: the first reason is told
    int count = 0;
    for (const auto& value : list_unjudged_values(db, nightly.id)) {
        if (!known.insert(value.series).second) continue;
        const auto series = load_series(db, value.series);
        const auto& metrics = config.judged;
        if (std::find(metrics.begin(), metrics.end(), series.metric) == metrics.end()) continue;
        set_aside_series(db, series, nightly, value.reason, now_s);
        ++count;
    }
    return count;
}

}  // namespace vigil::service
