#include "service/watch/watched.hpp"

#include <string>

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"

namespace vigil::service {

namespace {

constexpr int furthest_back = 60;  // nights

// A check that waited is not gone on with: the checks of the next night begin with it.
constexpr const char* undecided_before =
    "FROM suspicion WHERE series_id = ?1 AND kind = 'level' AND verdict = 'watch' "
    "AND (session_id IS NOT NULL OR (waits <> '' AND is_check = 0)) "
    "AND nightly_id = (SELECT MAX(id) FROM night WHERE id < ?2 AND state <> 'failed' "
    "AND project_id = (SELECT project_id FROM series WHERE id = ?1))";

}  // namespace

std::vector<WatchedNight> list_watched(
    Database& db, SeriesId series, NightlyId nightly, std::optional<NightlyId> good) {
    std::vector<WatchedNight> watched;
    auto after = nightly;
    for (int back = 0; back < furthest_back; ++back) {
        if (static_cast<int>(watched.size()) == max_watched_nights) break;
        auto rows = db.query(
            std::string("SELECT nightly_id, session_id, good_nightly_id, change_ratio ") +
                undecided_before,
            series,
            after);
        if (!rows.next()) break;
        const auto against = rows.get<NightlyId>(2);
        if (good.value_or(against) != against) break;
        good = against;
        after = rows.get<NightlyId>(0);
        const auto session = rows.get<std::optional<SessionId>>(1);
        if (session) watched.push_back({*session, against, rows.get<double>(3)});
    }
    return watched;
}

std::optional<GoingOn> find_going_on(Database& db, SeriesId series, NightlyId nightly) {
    GoingOn before;
    {
        auto rows = db.query(
            std::string("SELECT good_nightly_id, change_ratio, session_id IS NOT NULL, "
                        "waits <> '', waited, confirmed, moved ") +
                undecided_before,
            series,
            nightly);
        if (!rows.next()) return std::nullopt;
        before.good_nightly = rows.get<NightlyId>(0);
        before.change_ratio = rows.get<double>(1);
        before.was_measured = rows.get<bool>(2);
        before.waited = rows.get<bool>(3) ? rows.get<int>(4) + 1 : 0;
        before.moved = rows.get<double>(6);
        const auto confirmed = wire::parse_comparison(
            wire::parse_json(rows.get<std::string>(5), "suspicion.confirmed"));
        if (confirmed.runs_before > 0) before.above = confirmed.above;
    }
    const auto measured = list_watched(db, series, nightly, before.good_nightly);
    if (static_cast<int>(measured.size()) >= max_watched_nights) return std::nullopt;
    return before;
}

}  // namespace vigil::service
