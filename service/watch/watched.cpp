#include "service/watch/watched.hpp"

namespace vigil::service {

std::vector<WatchedNight> list_watched(
    Database& db, SeriesId series, NightlyId nightly, std::optional<NightlyId> good) {
    std::vector<WatchedNight> watched;
    auto after = nightly;
    while (static_cast<int>(watched.size()) < max_watched_nights) {
        auto rows = db.query(
            "SELECT nightly_id, session_id, good_nightly_id, change_ratio FROM suspicion "
            "WHERE series_id = ?1 AND kind = 'level' AND verdict = 'watch' "
            "AND session_id IS NOT NULL AND nightly_id = (SELECT MAX(id) FROM nightly "
            "WHERE id < ?2 AND state <> 'failed' AND project_id = "
            "(SELECT project_id FROM series WHERE id = ?1))",
            series,
            after);
        if (!rows.next()) break;
        const auto against = rows.get<NightlyId>(2);
        if (good.value_or(against) != against) break;
        good = against;
        after = rows.get<NightlyId>(0);
        watched.push_back({rows.get<SessionId>(1), against, rows.get<double>(3)});
    }
    return watched;
}

}  // namespace vigil::service
