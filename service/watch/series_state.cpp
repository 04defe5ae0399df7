#include "service/watch/series_state.hpp"

#include <algorithm>
#include <utility>

#include "bisect/stats/summary.hpp"
#include "bisect/trend/level_state.hpp"
#include "service/schedule/judgeable.hpp"

namespace vigil::service {

namespace {

constexpr int followed_nights = 730;  // of a history that is followed anew

std::vector<double> newest_of(const trend::LevelState& watch, int level_nights, std::size_t limit) {
    const auto& raw = watch.kept.raw;
    const auto nights = static_cast<std::size_t>(std::max(0, level_nights));
    const std::size_t count = std::min({limit, nights, raw.size()});
    return {raw.end() - static_cast<std::ptrdiff_t>(count), raw.end()};
}

}  // namespace

struct SeriesStates::State {
    trend::LevelWatch watch;
    int level_nights = 0;
    std::optional<double> base;

    void start_level() {
        watch.start_level();
        level_nights = 0;
        base.reset();
    }

    trend::NightFinding take(double value) {
        const auto finding = watch.append(value);
        ++level_nights;
        if (level_nights == level_base_nights) {
            base = stats::median(newest_of(watch.state(), level_nights, level_base_nights));
        }
        return finding;
    }
};

SeriesStates::SeriesStates(Database& db, ProjectId project, NightlyId nightly)
    : db_(db), nightly_(nightly) {
    before_ = db.find<NightlyId>(
        "SELECT MAX(id) FROM night WHERE project_id = ?1 AND id < ?2 AND state <> 'failed'",
        project,
        nightly);
    if (!before_) return;
    auto rows = db.query(
        "SELECT series_id FROM suspicion WHERE nightly_id = ?1 AND kind = 'level' "
        "AND verdict IN ('noise', 'drift', 'environment')",
        *before_);
    while (rows.next()) refuted_.insert(rows.get<SeriesId>(0));
}

FollowedNight SeriesStates::follow(const SeriesRow& series, double tonight) {
    auto loaded = load(series);
    State state = loaded ? std::move(*loaded) : rebuild(series);
    FollowedNight night;
    night.position = state.watch.nights();
    night.finding = state.take(tonight);
    night.level_nights = state.level_nights;
    night.base = state.base;
    night.level = newest_of(state.watch.state(), state.level_nights, level_window);
    store(series.id, state);
    return night;
}

std::optional<SeriesStates::State> SeriesStates::load(const SeriesRow& series) {
    if (!before_) return std::nullopt;
    auto rows = db_.query(
        "SELECT level_nights, level_base, watch FROM series_state WHERE series_id = ?1 "
        "AND nightly_id = ?2",
        series.id,
        *before_);
    if (!rows.next()) return std::nullopt;
    auto watch = trend::read_level_state(rows.get<Blob>(2));
    if (!watch || watch->scale.direction() != series.direction) return std::nullopt;
    // Whatever wrote another value: the history tells better.
    const auto& raw = watch->kept.raw;
    if (!std::all_of(raw.begin(), raw.end(), is_judgeable)) return std::nullopt;
    State state{
        trend::LevelWatch(std::move(*watch)), rows.get<int>(0), rows.get<std::optional<double>>(1)};
    if (refuted_.contains(series.id)) state.watch.refute_last_night();
    return state;
}

SeriesStates::State SeriesStates::rebuild(const SeriesRow& series) {
    State state{trend::LevelWatch(series.direction), 0, std::nullopt};
    auto nights = load_history(db_, series.id, nightly_, followed_nights);
    if (!nights.empty() && nights.back().nightly == nightly_) nights.pop_back();
    const auto starts = list_level_starts(db_, series.id);
    const auto refuted = list_refuted(db_, series.id);
    auto start = starts.begin();
    for (const auto& night : nights) {
        const auto earlier = start;
        while (start != starts.end() && *start <= night.nightly) ++start;
        if (start != earlier) state.start_level();
        state.take(night.value);
        if (std::binary_search(refuted.begin(), refuted.end(), night.nightly)) {
            state.watch.refute_last_night();
        }
    }
    // A level that begins tonight.
    if (start != starts.end() && *start <= nightly_) state.start_level();
    return state;
}

void SeriesStates::store(SeriesId series, const State& state) {
    const auto bytes = trend::write_level_state(state.watch.state());
    db_.execute(
        "INSERT INTO series_state(series_id, nightly_id, level_nights, level_base, watch) "
        "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT(series_id) DO UPDATE SET "
        "nightly_id = excluded.nightly_id, level_nights = excluded.level_nights, "
        "level_base = excluded.level_base, watch = excluded.watch",
        series,
        nightly_,
        state.level_nights,
        state.base,
        Blob(bytes));
}

std::optional<std::vector<double>> find_stored_level(
    Database& db, SeriesId series, NightlyId nightly, std::size_t limit) {
    auto rows = db.query(
        "SELECT level_nights, watch FROM series_state WHERE series_id = ?1 AND nightly_id = ?2",
        series,
        nightly);
    if (!rows.next()) return std::nullopt;
    const auto watch = trend::read_level_state(rows.get<Blob>(1));
    if (!watch) return std::nullopt;
    return newest_of(*watch, rows.get<int>(0), limit);
}

}  // namespace vigil::service
