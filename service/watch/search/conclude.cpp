#include "service/watch/search/conclude.hpp"

#include <algorithm>
#include <vector>

#include "service/store/findings/fixes.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/findings/revert_checks.hpp"
#include "service/watch/search/causes.hpp"
#include "service/watch/search/fix_search.hpp"
#include "service/watch/search/inside.hpp"
#include "service/watch/search/nights_between.hpp"
#include "service/watch/search/same_cause.hpp"
#include "service/watch/search/why.hpp"

namespace vigil::service {

namespace {

using search::Ending;
using Endings = std::vector<search::SeriesEnding>;

bool is_in_dependency(const BisectionRow& row) {
    return row.inside && !row.inside->dependency.empty();
}

EndedBisection load_ended(Database& db, const BisectionRow& row) {
    const auto regression = row.inside ? *row.inside->regression : load_regression_of(db, row.id);
    return {row, regression, list_suspects(db, row.id)};
}

void end_bisection(
    Database& db,
    BisectionId bisection,
    BisectionState to,
    const BisectionConclusion& conclusion,
    std::int64_t now_s) {
    move_bisection(db, bisection, to, now_s);
    note_conclusion(db, bisection, conclusion);
}

SeriesId series_of(const EndedBisection& ended, const search::SeriesEnding& ending) {
    return ended.row.settings.series.at(static_cast<std::size_t>(ending.series));
}

std::vector<Revision> line_of(const EndedBisection& ended) {
    std::vector<Revision> line;
    for (const auto& suspect : ended.suspects) line.push_back(suspect.revision);
    return line;
}

// What is known of the merge, or of the range, that the search was inside of, by series.
std::vector<Left> list_left(
    Database& db, const EndedBisection& ended, const BisectionConclusion& conclusion) {
    if (!ended.row.inside) return {};
    const auto& settings = ended.row.settings;
    std::vector<Comparison> around;
    for (const auto series : settings.series) {
        const auto change = find_change(db, ended.regression, series);
        around.push_back(change ? surer_of(change->verified, change->confirmed) : Comparison{});
    }
    std::vector<double> thresholds;
    for (const auto& spec : settings.specs) thresholds.push_back(spec.threshold);
    return left_by_merge(conclusion, around, thresholds);
}

RegressionId split(
    Database& db, const EndedBisection& ended, const Endings& endings, std::int64_t now_s) {
    const auto first = load_regression(db, ended.regression);
    const auto state = first.has_ended() ? first.state : RegressionState::searching;
    const auto part = split_regression(db, first.id, state, now_s);
    for (const auto& ending : endings) copy_series(db, first.id, part, series_of(ended, ending));
    return part;
}

// Of the searched series, the first regression keeps those of its own cause.
void keep_own_series(Database& db, const EndedBisection& ended, const Endings& own) {
    for (const auto series : ended.row.settings.series) {
        const bool stays = std::any_of(own.begin(), own.end(), [&](const auto& ending) {
            return series_of(ended, ending) == series;
        });
        if (!stays) remove_series(db, ended.regression, series);
    }
}

// Each cause has a regression before any of them is searched on, joined or reported.
void divide(
    Database& db, const EndedBisection& ended, std::vector<Cause>& causes, std::int64_t now_s) {
    for (auto& cause : causes) {
        const bool first = &cause == &causes.front();
        cause.regression = first ? ended.regression : split(db, ended, cause.endings, now_s);
    }
    keep_own_series(db, ended, causes.front().endings);
    for (const auto& cause : causes) {
        for (const auto& ending : cause.endings) {
            // Of what stays with a merge, its own verification counts.
            if (ended.row.inside && ending.ending != Ending::culprit) continue;
            note_verified(db, cause.regression, series_of(ended, ending), ending.verified);
        }
    }
}

void note_answer(Database& db, const EndedBisection& ended, const Cause& cause) {
    const auto& ending = cause.endings.front();
    if (ending.ending == Ending::culprit) {
        note_culprit(db, cause.regression, ended.revision(ending.first), ended.row.id);
    } else if (!ended.row.inside) {
        std::vector<Revision> left;
        for (int i = ending.first; i <= ending.last; ++i) left.push_back(ended.revision(i));
        note_left(db, cause.regression, left);
    }
}

// A regression whose search has ended. Why its culprit is slower is asked then, and whether a
// revert would help.
void settle(
    Database& db, const RegressionRow& regression, const std::string& reason, std::int64_t now_s) {
    const auto state = regression.culprit ? RegressionState::attributed : RegressionState::range;
    if (!move_regression(db, regression.id, state, reason, now_s)) return;
    if (!regression.culprit) return;
    ask_why_of(db, regression.id, now_s);
    if (!has_verified(db, regression.id)) return;
    ask_revert_check(db, regression.id, *regression.culprit, false, now_s);
}

// What a cause's regression comes to: it goes on inside of a merge, joins another of the same
// cause, or has its answer.
void attribute(
    Database& db,
    const EndedBisection& ended,
    const Cause& cause,
    const std::string& others,
    std::int64_t now_s) {
    const auto& ending = cause.endings.front();
    if (ending.ending == Ending::not_reproduced && !ended.row.inside) {
        const auto ended_as = RegressionEnd::not_reproduced;
        close_regression(db, cause.regression, ended_as, ending.reason, now_s);
        return;
    }
    note_answer(db, ended, cause);
    const auto regression = load_regression(db, cause.regression);
    Going going;  // it may have recovered while it was searched
    if (!regression.has_ended()) going = go_inside(db, ended, regression.id, cause.endings, now_s);
    if (!going.on && join_same_cause(db, regression, now_s)) return;
    if (!going.on && going.why_not.empty() && !regression.has_ended()) {
        going = go_into_dependency(db, ended, regression.id, cause.endings, now_s);
    }
    const auto reason =
        reason_of(cause, ended.row.inside, regression.reason, others, going.why_not);
    if (!going.on) return settle(db, regression, reason, now_s);
    move_regression(db, regression.id, RegressionState::searching, reason, now_s);
}

// The culprit moves a dependency: that stands, whatever its commits show.
void conclude_dependency(
    Database& db, const InsideOf& inside, const std::string& said, std::int64_t now_s) {
    const auto regression = load_regression(db, *inside.regression);
    if (join_same_cause(db, regression, now_s)) return;
    const auto reason = regression.reason + searched_inside(inside) + said;
    settle(db, regression, reason, now_s);
    ask_again(db, regression.id);
}

/// What was found of the series that the regression still holds: one may have left it meanwhile.
BisectionConclusion of_held(
    Database& db, const EndedBisection& ended, const BisectionConclusion& conclusion) {
    const auto held = list_held_series(db, ended.regression);
    const auto has_left = [&](const auto& ending) {
        return std::ranges::count(held, series_of(ended, ending), &HeldSeries::series) == 0;
    };
    auto kept = conclusion;
    std::erase_if(kept.endings, has_left);
    std::erase_if(kept.further, has_left);
    return kept.endings.empty() ? conclusion : kept;
}

}  // namespace

std::string said_of_dependency(
    Database& db, BisectionId bisection, const BisectionConclusion& conclusion) {
    const auto line = list_suspects(db, bisection);
    for (const auto& ending : conclusion.endings) {
        if (ending.ending != Ending::culprit) continue;
        const auto& found = line.at(static_cast<std::size_t>(ending.first));
        return "it is commit " + found.stands_for.brief() + " there";
    }
    return conclusion.endings.empty() ? conclusion.summary : conclusion.endings.front().reason;
}

void conclude_bisection(
    Database& db,
    const BisectionRow& bisection,
    const BisectionConclusion& conclusion,
    std::int64_t now_s) {
    end_bisection(db, bisection.id, BisectionState::done, conclusion, now_s);
    if (bisection.kind == BisectionKind::asked) {
        if (is_in_dependency(bisection)) return;
        const bool inside = bisection.inside.has_value();
        const auto at = changed_at(conclusion, inside);
        if (at.endings.empty() || !(at.measured || inside)) return;  // whoever asked reads it
        const EndedBisection ended{bisection, {}, list_suspects(db, bisection.id)};
        const auto going = go_inside(db, ended, std::nullopt, at.endings, now_s);
        if (!going.on && going.why_not.empty()) {
            go_into_dependency(db, ended, std::nullopt, at.endings, now_s);
        }
        return;
    }
    if (bisection.kind == BisectionKind::mending) {
        conclude_fix(db, bisection, conclusion, now_s);
        return;
    }
    if (bisection.kind == BisectionKind::nights) {
        conclude_nights(db, bisection, conclusion, now_s);
        return;
    }
    if (is_in_dependency(bisection)) {
        const auto said = said_of_dependency(db, bisection.id, conclusion);
        conclude_dependency(db, *bisection.inside, said, now_s);
        return;
    }
    const auto ended = load_ended(db, bisection);
    const bool inside = ended.row.inside.has_value();
    const auto found = of_held(db, ended, conclusion);
    auto causes = causes_of(found, inside);
    const auto left = list_left(db, ended, found);
    if (auto rest = rest_of_merge(left)) causes.push_back(std::move(*rest));
    divide(db, ended, causes, now_s);
    const auto line = line_of(ended);
    for (const auto& cause : causes) {
        const auto others =
            others_in_words(cause, causes, found, inside, line) + likely_left(cause, left);
        touch_others(db, cause.regression, now_s);
        attribute(db, ended, cause, others, now_s);
        ask_again(db, cause.regression);
    }
}

void fail_bisection(
    Database& db, BisectionId bisection, const std::string& why, std::int64_t now_s) {
    const auto row = load_bisection(db, bisection);
    if (row.state == BisectionState::done || row.state == BisectionState::failed) return;
    end_bisection(db, bisection, BisectionState::failed, {why, {}, {}}, now_s);
    if (row.kind == BisectionKind::build) return;  // its night has failed already
    if (row.kind == BisectionKind::asked) return;
    if (row.kind == BisectionKind::nights) return conclude_nights(db, row, {}, now_s);
    if (row.kind == BisectionKind::mending) {
        conclude_fix(db, row, {}, now_s);
        return;
    }
    if (!row.inside) {
        move_regression(db, load_regression_of(db, bisection), RegressionState::range, why, now_s);
        return;
    }
    if (is_in_dependency(row)) return conclude_dependency(db, *row.inside, why, now_s);
    const auto regression = load_regression(db, *row.inside->regression);
    const auto reason = regression.reason + searched_inside(*row.inside) + why;
    settle(db, regression, reason, now_s);
}

}  // namespace vigil::service
