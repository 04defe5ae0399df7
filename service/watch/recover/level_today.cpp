#include "service/watch/recover/level_today.hpp"

#include <vector>

#include <fmt/format.h>

#include "bisect/stats/one_size.hpp"
#include "schema/model/state_sets.hpp"
#include "schema/text/numbers.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/findings/reported.hpp"

namespace vigil::service {

bool is_change(Verdict verdict) {
    return is_surely_worse(verdict) || is_better(verdict);
}

std::optional<LevelToday> level_today(
    const Comparison& size, NightlyId found, std::span<const LaterAnswer> later) {
    std::vector<LevelToday> levels;
    const auto level_of = [&](NightlyId nightly) {
        auto level = size;
        for (const auto& one : levels) {
            if (one.nightly <= nightly) level = one.level;
        }
        return level;
    };
    for (const auto& answer : later) {
        const auto measured = stats::one_size(answer.confirmed, answer.verified, false);
        if (answer.good_nightly < found) {
            levels.push_back({answer.nightly, answer.night, measured});
            continue;
        }
        const auto before = level_of(answer.good_nightly);
        if (!is_change(answer.verdict) || before.runs_after == 0) continue;
        levels.push_back({answer.nightly, answer.night, stats::chained(before, measured)});
    }
    return levels.empty() ? std::nullopt : std::optional(std::move(levels.back()));
}

std::optional<LevelToday> find_level_today(
    Database& db, SeriesId series, const Comparison& size, NightlyId found) {
    return level_today(size, found, list_later_answers(db, series, found));
}

void tell_levels(Database& db, NightlyId nightly, std::int64_t now_s) {
    for (const auto& open : list_measured_again(db, nightly)) {
        std::optional<Comparison> verified;
        if (open.verified.runs_after > 0) verified = open.verified;
        const auto size = stats::one_size(open.confirmed, verified, open.shared);
        const auto today = find_level_today(db, open.series, size, open.found);
        if (!today || today->nightly != nightly) continue;
        const auto& now = today->level;
        const auto words = fmt::format(
            "series {} against its level before: {}; when filed: {}",
            open.series.value,
            text::percent_within(now.change_ratio, now.low, now.high),
            text::percent(size.change_ratio));
        touch_regression(db, open.regression, now_s);
        record_regression_event(db, open.regression, "level", words, now_s);
    }
}

}  // namespace vigil::service
