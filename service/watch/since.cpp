#include "service/watch/since.hpp"

namespace vigil::service {

namespace {

constexpr int nights_back = 64;  // nightlies in which the few newest measured ones are sought

}  // namespace

HistoryWord ask_history(
    Database& db, const SeriesRow& series, NightlyId nightly, const FollowedNight& followed) {
    const auto& finding = followed.finding;
    HistoryWord word;
    word.score = finding.suspicion;
    std::optional<trend::Since> since = finding.since;
    if (finding.change) {
        since =
            trend::Since{finding.change->first, finding.change->earliest, finding.change->latest};
    }
    if (!since) return word;
    const auto nights = load_history(db, series.id, nightly, nights_back);
    const std::size_t back = followed.position - since->earliest;
    if (back >= nights.size()) return word;
    const auto named = [&](std::size_t position) {
        return nights[nights.size() - 1 - (followed.position - position)].nightly;
    };
    word.since = named(since->first);
    word.earliest = named(since->earliest);
    word.latest = named(since->latest);
    return word;
}

}  // namespace vigil::service
