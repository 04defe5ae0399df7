#include "service/watch/machines/canary_class.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/series/values.hpp"
#include "service/store/workers.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

void end(
    Database& db,
    const MovedCanary& moved,
    CanaryState state,
    const std::string& why,
    std::int64_t now_s) {
    db.execute(
        "UPDATE canary_check SET state = ?2, message = ?3, ended_at_s = ?4 WHERE id = ?1",
        moved.check,
        state,
        why,
        now_s);
}

// A worker of the class that has a chart or begins one, and whose canary did not move. What gave no
// value says nothing.
bool others_stood(Database& db, NightlyId nightly, const std::string& machine_class) {
    return db
        .find<int>(
            "SELECT 1 FROM canary_check k JOIN worker w ON w.id = k.worker_id "
            "JOIN machine_class c ON c.id = w.machine_class_id WHERE k.nightly_id = ?1 "
            "AND c.name = ?2 AND k.state IN ('steady', 'learning') LIMIT 1",
            nightly,
            machine_class)
        .has_value();
}

void hold(
    Database& db,
    NightlyId nightly,
    ProjectId project,
    const MovedCanary& moved,
    std::int64_t now_s) {
    end(db, moved, CanaryState::moved, moved.why, now_s);
    const auto words = fmt::format(
        "its canary moved in nightly {}, and again when measured once more: {}; look at the "
        "machine, then: vigil worker release {}",
        to_string(nightly),
        moved.why,
        moved.worker_name);
    hold_worker(db, moved.worker, words, now_s);
    record_event(
        db,
        now_s,
        "canary.moved",
        project,
        "worker/" + to_string(moved.worker),
        "worker " + moved.worker_name + ": " + moved.why + "; what it measured in nightly " +
            to_string(nightly) + " is not judged");
}

// The night before this check, when its worker moved with its class then too and its chart goes on.
std::optional<NightlyId> moved_the_night_before(Database& db, const MovedCanary& moved) {
    return db.find<NightlyId>(
        "SELECT k.nightly_id FROM canary_check k WHERE k.id = (SELECT MAX(b.id) FROM canary_check "
        "b, canary_check t WHERE t.id = ?1 AND b.worker_id = t.worker_id AND b.id < t.id "
        "AND b.definition = t.definition) AND " +
            std::string(moved_with_class),
        moved.check);
}

// What is still in question goes on against its old build.
bool is_in_question(Database& db, SeriesId series, NightlyId since) {
    return db
        .find<int>(
            "SELECT 1 FROM suspicion WHERE series_id = ?1 AND nightly_id >= ?2 "
            "AND kind = 'level' AND verdict = 'watch' LIMIT 1",
            series,
            since)
        .has_value();
}

int rebase_times(
    Database& db,
    NightlyId nightly,
    const std::string& machine_class,
    NightlyId first,
    std::int64_t now_s) {
    int rebased = 0;
    for (const auto& series : list_series_of(db, nightly)) {
        if (kind_of(series.metric) != MetricKind::time) continue;
        if (load_machine_class_name(db, series.machine_class) != machine_class) continue;
        const auto starts = list_level_starts(db, series.id);
        if (!starts.empty() && starts.back() >= first) continue;
        if (is_in_question(db, series.id, first)) continue;
        begin_level(
            db, series.id, first, "machine class " + machine_class + " moved and stayed", now_s);
        ++rebased;
    }
    return rebased;
}

}  // namespace

void end_moved(
    Database& db,
    NightlyId nightly,
    const std::string& machine_class,
    const std::vector<MovedCanary>& moved,
    std::int64_t now_s) {
    if (moved.empty()) return;
    const auto project =
        *db.find<ProjectId>("SELECT project_id FROM nightly WHERE id = ?1", nightly);
    const bool one_way = std::all_of(
        moved.begin(), moved.end(), [&](const auto& one) { return one.up == moved.front().up; });
    if (!one_way || others_stood(db, nightly, machine_class)) {
        for (const auto& one : moved) hold(db, nightly, project, one, now_s);
        return;
    }
    std::optional<NightlyId> first;
    std::string workers;
    for (const auto& one : moved) {
        const auto before = moved_the_night_before(db, one);
        if (before && (!first || *before < *first)) first = before;
        workers += fmt::format("{}{} {}", workers.empty() ? "" : "; ", one.worker_name, one.why);
        end(db, one, CanaryState::learning, one.why + ", as its whole class", now_s);
    }
    const auto rebased = first ? rebase_times(db, nightly, machine_class, *first, now_s) : 0;
    const auto what_follows =
        first ? fmt::format("it stays: {} times begin new levels, its charts too", rebased)
              : std::string("nobody is held; A/B tells it from source");
    record_event(
        db,
        now_s,
        "canary.class_moved",
        project,
        "nightly/" + to_string(nightly),
        fmt::format(
            "machine class {} moved in nightly {} ({}); {}",
            machine_class,
            to_string(nightly),
            workers,
            what_follows));
}

}  // namespace vigil::service
