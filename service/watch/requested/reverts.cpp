#include "service/watch/requested/reverts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bisect/stats/one_size.hpp"
#include "schema/model/error.hpp"
#include "schema/model/state_sets.hpp"
#include "service/store/alone.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/ids.hpp"
#include "service/store/work/builds.hpp"
#include "service/watch/requested/ask.hpp"
#include "service/watch/requested/revert_words.hpp"

namespace vigil::service {

namespace {

constexpr int most_reverts_at_once = 20;
constexpr int most_open_for_reverts = max_open_requests / 2;  // the other half is kept for people
constexpr std::int64_t revert_day_s = 86'400;

void end_revert(
    Database& db,
    RegressionId regression,
    RevertOutcome outcome,
    const std::string& message,
    std::int64_t now_s) {
    end_revert_check(db, regression, outcome, message, now_s);
    touch_regression(db, regression, now_s);
    const auto words = revert_words(find_revert_check(db, regression).value());
    record_regression_event(db, regression, "revert", words, now_s);
}

void end_revert_unknown(
    Database& db, RegressionId regression, const std::string& message, std::int64_t now_s) {
    end_revert(db, regression, RevertOutcome::unknown, message, now_s);
}

/// Nobody waits for it: the regression is none, is another one's, or has another culprit.
bool is_unwanted_revert(const RevertCheck& check, const RegressionRow& regression) {
    const bool is_none = regression.ended_as == RegressionEnd::not_reproduced ||
                         regression.ended_as == RegressionEnd::joined;
    return is_none || regression.culprit != check.culprit;
}

void begin_revert(Database& db, const Config& whole, const RevertCheck& check, std::int64_t now_s) {
    const auto regression = load_regression(db, check.regression);
    const auto found = whole.projects.find(load_project_name(db, regression.project));
    if (found == whole.projects.end()) return;  // no longer watched: it waits
    const auto& config = found->second;
    const int budget = config.revert.checks_per_day;
    if (is_unwanted_revert(check, regression) || budget == 0) {
        remove_revert_check(db, check.regression);
        return;
    }
    const auto today_s = now_s - now_s % revert_day_s;
    const bool may =
        check.by_hand || count_revert_checks_since(db, regression.project, today_s) < budget;
    if (!may || list_open_requests(db, most_open_for_reverts).size() == most_open_for_reverts)
        return;
    if (const auto none = why_no_revisions(config)) {
        return end_revert_unknown(db, check.regression, *none, now_s);
    }
    const auto series = list_reported_series(db, check.regression);
    const auto choice = choose_reverted(series, list_measured_variants(config));
    if (!choice.series) return end_revert_unknown(db, check.regression, choice.why_none, now_s);
    begin_revert_check(db, check.regression, choice.series->id, choice.size, now_s);
}

/// Asks for B against A, by the series that was chosen.
RequestId ask_for_revert(
    Database& db,
    const RevertCheck& check,
    const Revision& a,
    const Revision& b,
    std::int64_t now_s) {
    const auto regression = load_regression(db, check.regression);
    const auto all = list_reported_series(db, check.regression);
    const auto series = std::ranges::find(all, check.series.value(), &ReportedSeries::id);
    if (series == all.end()) {
        throw Error(Errc::conflict, "the regression has lost the series that was to be measured");
    }
    NewRequest wanted;
    wanted.project = regression.project;
    wanted.kind = RequestKind::comparison;
    wanted.a = a.str();
    wanted.b = b.str();
    wanted.a_build = ensure_source_build(db, regression.project, a, now_s);
    wanted.b_build = ensure_source_build(db, regression.project, b, now_s);
    wanted.asked.variants = {variant_of(*series)};
    wanted.asked.metric = series->metric;
    wanted.asked.series = series->id;
    // It ends when the runs tell whether more than half of the change is there.
    wanted.asked.threshold = std::expm1(std::log1p(check.size.value().change_ratio) / 2);
    wanted.asked.in_background = true;
    wanted.token = fmt::format("revert check of regression {}", check.regression.value);
    return ask(db, wanted, now_s);
}

void measure_revert(
    Database& db,
    const RevertCheck& check,
    RevertState to,
    const Revision& a,
    const Revision& b,
    std::int64_t now_s) {
    const auto refused = try_alone(db, [&] {
        note_measured_by(db, check.regression, to, ask_for_revert(db, check, a, b, now_s));
    });
    if (refused) end_revert_unknown(db, check.regression, *refused, now_s);
}

void compare_with_parent(Database& db, const RevertCheck& check, std::int64_t now_s) {
    measure_revert(
        db, check, RevertState::comparing, check.parent.value(), check.head.value(), now_s);
}

/// What a request that is over says of the series; nullopt: nothing.
std::optional<Comparison> find_revert_measured(Database& db, const RevertCheck& check) {
    for (const auto& session : list_request_sessions(db, check.request.value())) {
        for (const auto& said : list_session_verdicts(db, session.id)) {
            const bool is_whole = said.comparison.runs_before > 0 && said.comparison.runs_after > 0;
            if (said.series == check.series && is_whole) return said.comparison;
        }
    }
    return std::nullopt;
}

void take_revert(Database& db, const RevertCheck& check, std::int64_t now_s) {
    const auto id = check.request.value();
    const auto state = load_request(db, id).state;
    if (!is_over(state)) return;
    const auto measured = find_revert_measured(db, check);
    if (state != RequestState::done || !measured) {
        const auto message = find_request_message(db, id);
        const auto what = state == RequestState::cancelled ? "its measuring was cancelled"
                                                           : "it could not be measured";
        return end_revert_unknown(
            db,
            check.regression,
            fmt::format("{}{}{}", what, message.empty() ? "" : ": ", message),
            now_s);
    }
    const auto& size = check.size.value();
    if (check.state == RevertState::comparing) {
        note_still(db, check.regression, *measured);
        const auto outcome = outcome_of_still(size, *measured, check.made.has_value());
        return end_revert(db, check.regression, outcome, "", now_s);
    }
    note_reverted(db, check.regression, *measured);
    const auto outcome = outcome_of_revert(size, *measured);
    if (!outcome) return compare_with_parent(db, check, now_s);
    end_revert(db, check.regression, *outcome, "", now_s);
}

}  // namespace

RevertChoice choose_reverted(
    const std::vector<ReportedSeries>& all, const std::vector<RequestedVariant>& measured) {
    RevertChoice best;
    bool has_values = false;
    for (const auto& one : all) {
        if (!is_on_values(one.verdict)) continue;
        has_values = true;
        if (std::ranges::count(measured, variant_of(one)) == 0) continue;
        const auto size = stats::one_size(one.confirmed, one.verified, one.shared);
        const double ratio = size.change_ratio;
        if (!std::isfinite(ratio) || !(ratio > 0)) continue;
        if (best.series == nullptr || ratio > best.size.change_ratio) best = {&one, size, ""};
    }
    if (best.series == nullptr) {
        best.why_none = has_values ? "the project measures none of its series today, or their "
                                     "change is not a ratio"
                                   : "none of its series changed in a value";
    }
    return best;
}

void ask_revert_by_hand(Database& db, const Config& config, RegressionId id, std::int64_t now_s) {
    const auto regression = load_regression(db, id);
    const auto name = "regression " + to_string(id);
    const auto project = config.projects.find(load_project_name(db, regression.project));
    if (project == config.projects.end()) {
        throw Error(Errc::conflict, name + " is of a project that is no longer in the config");
    }
    if (project->second.revert.checks_per_day == 0) {
        throw Error(
            Errc::conflict,
            "revert checks are off in project " + project->first +
                ": its revert.checks_per_day is 0; set it, and reload");
    }
    if (!regression.culprit || !has_verified(db, id)) {
        throw Error(
            Errc::conflict, name + " has no verified culprit: there is no commit to revert");
    }
    ask_revert_check(db, id, *regression.culprit, true, now_s);
}

void record_revert(
    Database& db,
    const ApplyingRevert& asked,
    const history::RevertTry& tried,
    const std::string& why,
    std::int64_t now_s) {
    const auto id = asked.regression;
    auto check = find_revert_check(db, id);
    if (!check || check->state != RevertState::applying || check->culprit != asked.culprit) return;
    if (!why.empty()) return end_revert_unknown(db, id, why, now_s);
    const auto known = [](const Revision& revision) {
        return revision.empty() ? std::nullopt : std::optional(revision);
    };
    note_applied(
        db,
        id,
        {known(tried.parent),
         known(tried.head),
         known(tried.made),
         tried.conflicts,
         tried.conflicting});
    check = find_revert_check(db, id);
    switch (tried.fit) {
        case history::RevertFit::conflicts:
            return end_revert(db, id, RevertOutcome::conflicts, "", now_s);
        case history::RevertFit::not_held:
            return end_revert(db, id, RevertOutcome::not_held, "", now_s);
        case history::RevertFit::no_parent:
            return end_revert_unknown(
                db, id, "the culprit is the first commit: nothing is left without it", now_s);
        case history::RevertFit::empty: return compare_with_parent(db, *check, now_s);
        case history::RevertFit::applies:
            return measure_revert(
                db, *check, RevertState::measuring, tried.head, tried.made, now_s);
    }
}

void advance_reverts(Database& db, const Config& config, std::int64_t now_s) {
    for (const auto& check : list_open_revert_checks(db, most_reverts_at_once)) {
        const auto trouble = try_alone(db, [&] {
            check.state == RevertState::waiting ? begin_revert(db, config, check, now_s)
                                                : take_revert(db, check, now_s);
        });
        if (trouble)
            end_revert_unknown(db, check.regression, "asking for it failed: " + *trouble, now_s);
    }
}

}  // namespace vigil::service
