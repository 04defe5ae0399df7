#include "service/watch/since.hpp"

#include <algorithm>

#include "bisect/trend/level_watch.hpp"

namespace vigil::service {

namespace {

constexpr int followed_nights = 120;  // so many LevelWatch remembers

}  // namespace

HistoryWord ask_history(Database& db, const SeriesRow& series, NightlyId nightly) {
    const auto nights = load_history(db, series.id, nightly, followed_nights);
    const auto starts = list_level_starts(db, series.id);
    HistoryWord word;
    if (nights.empty() || nights.back().nightly != nightly) return word;
    trend::LevelWatch watch(series.direction);
    trend::NightFinding finding;
    auto start = starts.begin();
    for (const auto& night : nights) {
        const auto before = start;
        while (start != starts.end() && *start <= night.nightly) ++start;
        if (start != before) watch.start_level();
        finding = watch.append(night.value);
    }
    word.score = finding.suspicion;
    std::optional<trend::Since> since = finding.since;
    if (finding.change) {
        since =
            trend::Since{finding.change->first, finding.change->earliest, finding.change->latest};
    }
    if (!since) return word;
    word.since = nights[since->first].nightly;
    word.earliest = nights[since->earliest].nightly;
    word.latest = nights[since->latest].nightly;
    return word;
}

}  // namespace vigil::service
