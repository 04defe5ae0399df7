#include "service/watch/machines/canary_class.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "service/store/events.hpp"
#include "service/store/series/suspicions.hpp"
#include "service/store/workers.hpp"
#include "service/watch/machines/new_levels.hpp"

namespace vigil::service {

namespace {

void hold(Database& db, const MovedCanary& moved, std::int64_t now_s) {
    const auto& check = moved.check;
    end_check(db, check, CanaryState::moved, moved.why, now_s);
    const auto words = fmt::format(
        "its canary moved in nightly {}, and again when measured once more: {}; look at the "
        "machine, then: vigil worker release {}",
        to_string(check.nightly),
        moved.why,
        check.worker_name);
    hold_worker(db, check.worker, words, now_s);
    record_event(
        db,
        now_s,
        "canary.moved",
        check.project,
        "worker/" + to_string(check.worker),
        "worker " + check.worker_name + ": " + moved.why + "; what it measured in nightly " +
            to_string(check.nightly) + " is not judged");
}

// What has a level since then already, or is still in question, goes on as it is.
int rebase_class(Database& db, const OpenCheck& check, NightlyId first, std::int64_t now_s) {
    const auto is_moved = [&](const SeriesRow& series) {
        if (series.machine_class != check.machine_class) return false;
        const auto starts = list_level_starts(db, series.id);
        if (!starts.empty() && starts.back() >= first) return false;
        return !is_undecided_since(db, series.id, first);
    };
    const auto why = "machine class " + check.class_name + " moved and stayed";
    return begin_levels_of_times(db, check.nightly, first, why, is_moved, now_s);
}

}  // namespace

bool moved_as_one(const std::vector<MovedCanary>& moved, bool others_stood) {
    const bool one_way = std::all_of(
        moved.begin(), moved.end(), [&](const auto& one) { return one.up == moved.front().up; });
    return one_way && !others_stood;
}

void end_moved(Database& db, const std::vector<MovedCanary>& moved, std::int64_t now_s) {
    if (moved.empty()) return;
    const auto& any = moved.front().check;
    if (!moved_as_one(moved, has_steady_check(db, any.nightly, any.machine_class))) {
        for (const auto& one : moved) hold(db, one, now_s);
        return;
    }
    std::optional<NightlyId> first;
    std::string workers;
    for (const auto& one : moved) {
        const auto before = find_class_move_before(db, one.check);
        if (before && (!first || *before < *first)) first = before;
        workers +=
            fmt::format("{}{} {}", workers.empty() ? "" : "; ", one.check.worker_name, one.why);
        end_check(db, one.check, CanaryState::learning, one.why + ", as its whole class", now_s);
    }
    const auto rebased = first ? rebase_class(db, any, *first, now_s) : 0;
    const auto what_follows =
        first ? fmt::format("it stays: {} times begin new levels, its charts too", rebased)
              : std::string("nobody is held; A/B tells it from source");
    record_event(
        db,
        now_s,
        "canary.class_moved",
        any.project,
        "nightly/" + to_string(any.nightly),
        fmt::format(
            "machine class {} moved in nightly {} ({}); {}",
            any.class_name,
            to_string(any.nightly),
            workers,
            what_follows));
}

}  // namespace vigil::service
