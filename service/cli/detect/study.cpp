#include "service/cli/detect/study.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "schema/text/numbers.hpp"
#include "service/cli/common/display.hpp"

namespace vigil::cli {

namespace {

constexpr std::size_t near_nights = 3;    // a raised change and a past one so far apart are one
constexpr std::size_t newest_nights = 5;  // too few for a level seen from the end

bool are_one(const trend::PastChange& past, const trend::Change& raised) {
    return past.worse == raised.worse && raised.first + near_nights >= past.earliest &&
           raised.first <= past.latest + near_nights;
}

StudiedChange as_studied(const trend::Change& raised) {
    StudiedChange studied;
    studied.kind = raised.worse ? ChangeKind::worse : ChangeKind::better;
    studied.sure = true;
    studied.change = {
        .first = raised.first,
        .earliest = raised.earliest,
        .latest = raised.latest,
        .worse = raised.worse,
        .before = raised.before,
        .after = raised.after,
        .change_ratio = raised.change_ratio,
        .low = raised.low,
        .high = raised.high};
    studied.raised = raised.night;
    return studied;
}

ChangeKind kind_of_change(const trend::PastChange& change, const std::vector<std::size_t>& moves) {
    const bool moved = std::any_of(moves.begin(), moves.end(), [&](std::size_t night) {
        return change.earliest <= night && night <= change.latest;
    });
    return moved ? ChangeKind::environment : change.worse ? ChangeKind::worse : ChangeKind::better;
}

/// The position before which there are `count` measured nights from the end on.
std::size_t newest_from(const History& history, std::size_t count) {
    std::size_t at = history.values.size();
    while (at > 0 && count > 0) count -= std::isfinite(history.values[--at]) ? 1 : 0;
    return at;
}

}  // namespace

void follow_history(
    const History& history,
    Direction direction,
    const std::function<void(const NightSeen&)>& visit,
    const trend::LevelWatchRules& rules) {
    trend::LevelWatch watch(history.direction.value_or(direction), rules);
    for (std::size_t i = 0; i < history.values.size(); ++i) {
        NightSeen seen;
        seen.night = i;
        seen.measured = std::isfinite(history.values[i]);
        seen.moved = history.moves_at(i);
        if (seen.moved) watch.start_level();
        seen.level_nights = watch.level_nights() + 1;
        seen.finding = watch.append(history.values[i]);
        visit(seen);
    }
}

Study study_history(const History& history, Direction direction) {
    Study study;
    study.direction = history.direction.value_or(direction);
    std::vector<std::size_t> moves;
    std::vector<trend::Change> raised;
    follow_history(history, direction, [&](const NightSeen& seen) {
        if (seen.moved) moves.push_back(seen.night);
        if (seen.finding.change) raised.push_back(*seen.finding.change);
        if (!seen.measured) return;
        ++study.measured;
        study.newest = seen;
    });
    // A level seen from the end has five nights; what the last few raised is told as raised.
    const std::size_t newest = newest_from(history, newest_nights);
    const bool is_raised_anew = !raised.empty() && raised.back().first >= newest;
    for (const auto& past : trend::find_past_changes(history.values, study.direction)) {
        if (is_raised_anew && past.first >= newest) continue;
        StudiedChange studied;
        studied.kind = kind_of_change(past, moves);
        studied.change = past;
        const auto same = std::find_if(raised.begin(), raised.end(), [&](const auto& change) {
            return are_one(past, change);
        });
        if (same != raised.end()) studied.raised = same->night;
        studied.sure = past.certain || studied.raised;
        study.changes.push_back(studied);
    }
    if (is_raised_anew) study.changes.push_back(as_studied(raised.back()));
    return study;
}

trend::ExplainedNames names_in(const History& history) {
    return {
        [&](std::size_t night) { return printable(history.nights[night]); },
        [](double value) { return fmt::format("{:.6g}", value); }};
}

std::string decision_words(const NightSeen& seen, const History& history) {
    if (!seen.measured) return "not measured";
    const std::string moved = seen.moved ? "another environment: a new level begins; " : "";
    return moved + trend::decision_words(seen.finding, seen.level_nights, names_in(history));
}

}  // namespace vigil::cli
