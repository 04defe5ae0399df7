#include "service/watch/search/conclude.hpp"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/watch/recover/mending.hpp"
#include "service/watch/search/breakage.hpp"
#include "service/watch/search/causes.hpp"
#include "service/watch/search/inside.hpp"
#include "service/watch/search/same_cause.hpp"

namespace vigil::service {

namespace {

using Endings = std::vector<search::SeriesEnding>;

// A bisection that ended.
struct EndedBisection {
    BisectionId id;
    BisectionSettings settings;
    std::optional<InsideOf> inside;
    RegressionId regression;
    std::vector<Revision> suspects;  ///< by position
};

EndedBisection load_ended(Database& db, BisectionId bisection) {
    EndedBisection ended;
    ended.id = bisection;
    ended.settings = parse_settings(
        *db.find<std::string>("SELECT settings FROM bisection WHERE id = ?1", bisection));
    ended.inside = find_inside(db, bisection);
    ended.regression = ended.inside
                           ? ended.inside->regression
                           : *db.find<RegressionId>(
                                 "SELECT id FROM regression WHERE bisection_id = ?1", bisection);
    auto rows = db.query(
        "SELECT revision FROM suspect WHERE bisection_id = ?1 ORDER BY position", bisection);
    while (rows.next()) ended.suspects.push_back(rows.get<Revision>(0));
    return ended;
}

void close_bisection(
    Database& db,
    BisectionId bisection,
    BisectionState state,
    const BisectionConclusion& conclusion,
    std::int64_t now_s) {
    db.execute(
        "UPDATE bisection SET state = ?2, conclusion = ?3, ended_at_s = ?4 WHERE id = ?1",
        bisection,
        state,
        to_text(conclusion),
        now_s);
}

RegressionId split(Database& db, RegressionId from, std::int64_t now_s) {
    db.execute(
        "INSERT INTO regression(project_id, nightly_id, state, good_build_id, bad_build_id, "
        "bisection_id, split_from_id, culprit, suspects, reason, created_at_s, changed_at_s) "
        "SELECT project_id, nightly_id, CASE WHEN state IN ('recovered', 'closed') THEN state "
        "ELSE 'searching' END, good_build_id, bad_build_id, bisection_id, "
        "id, culprit, suspects, reason, ?2, ?2 FROM regression WHERE id = ?1",
        from,
        now_s);
    return RegressionId{db.last_insert_id()};
}

std::vector<SeriesId> series_of(const EndedBisection& ended, const Endings& endings) {
    std::vector<SeriesId> series;
    for (const auto& ending : endings) {
        series.push_back(ended.settings.series.at(static_cast<std::size_t>(ending.series)));
    }
    return series;
}

void copy_series(
    Database& db, const EndedBisection& ended, const Endings& endings, RegressionId regression) {
    for (const auto series : series_of(ended, endings)) {
        db.execute(
            "INSERT INTO regression_series(regression_id, series_id, suspicion_id, "
            "recovered_nightly_id, verified) SELECT ?3, series_id, suspicion_id, "
            "recovered_nightly_id, verified FROM regression_series "
            "WHERE regression_id = ?1 AND series_id = ?2",
            ended.regression,
            series,
            regression);
    }
}

// Of the searched series, the first regression keeps those of its own cause.
void keep_series(Database& db, const EndedBisection& ended, const Endings& kept) {
    const auto stay = series_of(ended, kept);
    for (const auto series : ended.settings.series) {
        if (std::find(stay.begin(), stay.end(), series) != stay.end()) continue;
        db.execute(
            "DELETE FROM regression_series WHERE regression_id = ?1 AND series_id = ?2",
            ended.regression,
            series);
    }
}

void write_verified(Database& db, const EndedBisection& ended, const Cause& cause) {
    for (const auto& ending : cause.endings) {
        // Of what stays with a merge, its own verification counts.
        if (ended.inside && ending.ending != search::Ending::culprit) continue;
        // A range that nothing was verified of keeps the figures of its confirmation.
        const bool is_verified = ending.verified.runs_after > 0;
        db.execute(
            "UPDATE regression_series SET verified = ?3 WHERE regression_id = ?1 "
            "AND series_id = ?2",
            cause.regression,
            ended.settings.series.at(static_cast<std::size_t>(ending.series)),
            is_verified ? wire::to_json(ending.verified).dump() : "{}");
    }
}

Comparison read_comparison(const std::string& text) {
    const auto stored = wire::parse_json(text, "regression_series.verified");
    return stored.empty() ? Comparison{} : wire::parse_comparison(stored);
}

// What is known of the merge, or of the range, that the search was inside of, by series: what was
// verified of it, or the confirmation of the whole night where that saw less. Verifications may be
// of few runs; an outlier in one must not look like a change of the merge's own.
std::vector<Comparison> load_around(Database& db, const EndedBisection& ended) {
    std::vector<Comparison> around;
    for (const auto series : ended.settings.series) {
        Comparison known;
        auto rows = db.query(
            "SELECT x.verified, u.confirmed FROM regression_series x JOIN suspicion u "
            "ON u.id = x.suspicion_id WHERE x.regression_id = ?1 AND x.series_id = ?2",
            ended.regression,
            series);
        if (rows.next()) {
            const auto verified = read_comparison(rows.get<std::string>(0));
            const auto confirmed = read_comparison(rows.get<std::string>(1));
            known = verified.change_ratio < confirmed.change_ratio ? verified : confirmed;
            if (verified.runs_after == 0 || confirmed.runs_after == 0) known = {};
        }
        around.push_back(known);
    }
    return around;
}

std::vector<Left> list_left(
    Database& db, const EndedBisection& ended, const BisectionConclusion& conclusion) {
    if (!ended.inside) return {};
    std::vector<double> thresholds;
    for (const auto& spec : ended.settings.specs) thresholds.push_back(spec.threshold);
    return left_by_merge(conclusion, load_around(db, ended), thresholds);
}

// Each cause has a regression before any of them is searched on, joined or reported.
void divide(
    Database& db, const EndedBisection& ended, std::vector<Cause>& causes, std::int64_t now_s) {
    for (auto& cause : causes) {
        const bool first = &cause == &causes.front();
        cause.regression = first ? ended.regression : split(db, ended.regression, now_s);
        if (!first) copy_series(db, ended, cause.endings, cause.regression);
    }
    keep_series(db, ended, causes.front().endings);
    for (const auto& cause : causes) write_verified(db, ended, cause);
}

std::string load_reason(Database& db, RegressionId regression) {
    return db.find<std::string>("SELECT reason FROM regression WHERE id = ?1", regression)
        .value_or("");
}

RegressionState state_without_search(Database& db, RegressionId regression) {
    const bool named =
        db.find<int>("SELECT 1 FROM regression WHERE id = ?1 AND culprit IS NOT NULL", regression)
            .has_value();
    return named ? RegressionState::attributed : RegressionState::range;
}

RegressionState state_after(Database& db, RegressionId regression, const Going& going) {
    return going.on ? RegressionState::searching : state_without_search(db, regression);
}

void name_culprit(
    Database& db,
    const EndedBisection& ended,
    const Cause& cause,
    const std::string& others,
    std::int64_t now_s) {
    const auto regression = cause.regression;
    const auto& ending = cause.endings.front();
    db.execute(
        "UPDATE regression SET culprit = ?2, bisection_id = ?3, suspects = '[]' WHERE id = ?1",
        regression,
        ended.suspects.at(static_cast<std::size_t>(ending.first)),
        ended.id);
    std::string reason = ending.reason;
    if (ended.inside) reason += "; it came in by the merge " + ended.inside->merge.brief();
    reason += others;
    const auto going = go_inside(db, ended.id, regression, ended.settings, cause.endings, now_s);
    if (!going.why_not.empty()) reason += "; its inside was not searched: " + going.why_not;
    if (!going.on && join_same_cause(db, regression, now_s)) return;
    move_regression(db, regression, state_after(db, regression, going), reason, now_s);
}

std::string searched_inside(const InsideOf& inside) {
    return "; searched inside of " + inside.merge.brief() + ", what parent " +
           std::to_string(inside.parent) + " brought: ";
}

// Why the commits of a merge's parent do not take the merge's place, in words.
std::string why_it_stays(const Endings& endings) {
    for (const auto& ending : endings) {
        if (ending.ending == search::Ending::range) return ending.reason;
    }
    return "its commits do not show the change alone";
}

void stay_with_merge(
    Database& db,
    const EndedBisection& ended,
    const Cause& cause,
    const std::string& others,
    std::int64_t now_s) {
    const auto regression = cause.regression;
    const auto going = go_inside(db, ended.id, regression, ended.settings, cause.endings, now_s);
    std::string reason = load_reason(db, regression) + searched_inside(*ended.inside);
    reason += cause.rest.empty() ? why_it_stays(cause.endings) : cause.rest + others;
    if (!going.why_not.empty()) reason += "; the rest was not searched: " + going.why_not;
    if (!going.on && join_same_cause(db, regression, now_s)) return;
    move_regression(db, regression, state_after(db, regression, going), reason, now_s);
}

void attribute(
    Database& db,
    const EndedBisection& ended,
    const Cause& cause,
    const std::string& others,
    std::int64_t now_s) {
    const auto regression = cause.regression;
    const auto& ending = cause.endings.front();
    if (ending.ending == search::Ending::culprit) {
        name_culprit(db, ended, cause, others, now_s);
        return;
    }
    if (ended.inside) {
        stay_with_merge(db, ended, cause, others, now_s);
        return;
    }
    if (ending.ending == search::Ending::not_reproduced) {
        move_regression(db, regression, RegressionState::not_reproduced, ending.reason, now_s);
        move_regression(db, regression, RegressionState::closed, ending.reason, now_s);
        return;
    }
    nlohmann::json left = nlohmann::json::array();
    for (int i = ending.first; i <= ending.last; ++i) {
        left.push_back(ended.suspects.at(static_cast<std::size_t>(i)).str());
    }
    db.execute("UPDATE regression SET suspects = ?2 WHERE id = ?1", regression, left.dump());
    const auto going = go_inside(db, ended.id, regression, ended.settings, cause.endings, now_s);
    if (!going.on && join_same_cause(db, regression, now_s)) return;
    const auto state = state_after(db, regression, going);
    move_regression(db, regression, state, ending.reason + others, now_s);
}

// Regressions of the same confirmed series name each other: what is told of one is told anew.
void touch_others(Database& db, RegressionId regression, std::int64_t now_s) {
    db.execute(
        "UPDATE regression SET changed_at_s = ?2 WHERE id <> ?1 "
        "AND state IN ('reported', 'acknowledged') AND id IN "
        "(SELECT o.regression_id FROM regression_series m JOIN regression_series o "
        "ON o.suspicion_id = m.suspicion_id WHERE m.regression_id = ?1)",
        regression,
        now_s);
}

}  // namespace

void conclude_bisection(
    Database& db,
    BisectionId bisection,
    const BisectionConclusion& conclusion,
    std::int64_t now_s) {
    const auto ended = load_ended(db, bisection);
    close_bisection(db, bisection, BisectionState::done, conclusion, now_s);
    const bool inside = ended.inside.has_value();
    auto causes = causes_of(conclusion, inside);
    const auto left = list_left(db, ended, conclusion);
    if (auto rest = rest_of_merge(left)) causes.push_back(std::move(*rest));
    divide(db, ended, causes, now_s);
    for (const auto& cause : causes) {
        const auto others = others_in_words(cause, causes, conclusion, inside, ended.suspects) +
                            likely_left(cause, left);
        touch_others(db, cause.regression, now_s);
        attribute(db, ended, cause, others, now_s);
        ask_again(db, cause.regression);
    }
}

void fail_bisection(
    Database& db, BisectionId bisection, const std::string& why, std::int64_t now_s) {
    close_bisection(db, bisection, BisectionState::failed, {why, {}, {}}, now_s);
    if (is_breakage(db, bisection)) return;  // its night has failed already
    const auto ended = load_ended(db, bisection);
    if (ended.inside) {
        const auto reason =
            load_reason(db, ended.regression) + searched_inside(*ended.inside) + why;
        const auto state = state_without_search(db, ended.regression);
        move_regression(db, ended.regression, state, reason, now_s);
    } else {
        move_regression(db, ended.regression, RegressionState::range, why, now_s);
    }
}

}  // namespace vigil::service
