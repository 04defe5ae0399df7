#include "service/watch/conclude.hpp"

#include <map>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/store/events.hpp"
#include "service/watch/breakage.hpp"
#include "service/watch/inside.hpp"
#include "service/watch/same_cause.hpp"

namespace vigil::service {

namespace {

// Series whose searches ended alike have one cause.
using Cause = std::tuple<search::Ending, int, int>;
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

// Culprits come first. What a merge's parent does not show alone is one cause: the merge.
std::map<Cause, Endings> causes_of(const EndedBisection& ended, const Endings& endings) {
    std::map<Cause, Endings> causes;
    for (const auto& ending : endings) {
        const bool stays = ended.inside && ending.ending != search::Ending::culprit;
        const Cause cause = stays ? Cause{search::Ending::range, 0, 0}
                                  : Cause{ending.ending, ending.first, ending.last};
        causes[cause].push_back(ending);
    }
    return causes;
}

RegressionId split(Database& db, RegressionId from, std::int64_t now_s) {
    db.execute(
        "INSERT INTO regression(project_id, nightly_id, state, good_build_id, bad_build_id, "
        "bisection_id, split_from_id, culprit, reason, created_at_s, changed_at_s) "
        "SELECT project_id, nightly_id, 'searching', good_build_id, bad_build_id, bisection_id, "
        "id, culprit, reason, ?2, ?2 FROM regression WHERE id = ?1",
        from,
        now_s);
    return RegressionId{db.last_insert_id()};
}

void give_series(
    Database& db, const EndedBisection& ended, const Endings& endings, RegressionId regression) {
    for (const auto& ending : endings) {
        const auto series = ended.settings.series.at(static_cast<std::size_t>(ending.series));
        db.execute(
            "UPDATE regression_series SET regression_id = ?3 "
            "WHERE regression_id = ?1 AND series_id = ?2",
            ended.regression,
            series,
            regression);
        // Of what stays with a merge, its own verification counts.
        if (ended.inside && ending.ending != search::Ending::culprit) continue;
        // A range that nothing was verified of keeps the figures of its confirmation.
        const bool is_verified = ending.verified.runs_after > 0;
        db.execute(
            "UPDATE regression_series SET verified = ?3 WHERE regression_id = ?1 "
            "AND series_id = ?2",
            regression,
            series,
            is_verified ? wire::to_json(ending.verified).dump() : "{}");
    }
}

std::string load_reason(Database& db, RegressionId regression) {
    return db.find<std::string>("SELECT reason FROM regression WHERE id = ?1", regression)
        .value_or("");
}

RegressionState state_after(const Going& going) {
    return going.on ? RegressionState::searching : RegressionState::attributed;
}

void name_culprit(
    Database& db,
    const EndedBisection& ended,
    RegressionId regression,
    const Endings& endings,
    std::int64_t now_s) {
    const auto& ending = endings.front();
    db.execute(
        "UPDATE regression SET culprit = ?2, bisection_id = ?3 WHERE id = ?1",
        regression,
        ended.suspects.at(static_cast<std::size_t>(ending.first)),
        ended.id);
    std::string reason = ending.reason;
    if (ended.inside) reason += "; it came in by the merge " + ended.inside->merge.brief();
    const auto going = go_inside(db, ended.id, regression, ended.settings, endings, now_s);
    if (!going.why_not.empty()) reason += "; its inside was not searched: " + going.why_not;
    if (!going.on && join_same_cause(db, regression, now_s)) return;
    move_regression(db, regression, state_after(going), reason, now_s);
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
    RegressionId regression,
    const Endings& endings,
    std::int64_t now_s) {
    const auto going = go_inside(db, ended.id, regression, ended.settings, endings, now_s);
    std::string reason = load_reason(db, regression) + "; searched inside, what parent " +
                         std::to_string(ended.inside->parent) +
                         " brought: " + why_it_stays(endings);
    if (!going.why_not.empty()) reason += "; the rest was not searched: " + going.why_not;
    if (!going.on && join_same_cause(db, regression, now_s)) return;
    move_regression(db, regression, state_after(going), reason, now_s);
}

void attribute(
    Database& db,
    const EndedBisection& ended,
    RegressionId regression,
    const Endings& endings,
    std::int64_t now_s) {
    const auto& ending = endings.front();
    if (ending.ending == search::Ending::culprit) {
        name_culprit(db, ended, regression, endings, now_s);
        return;
    }
    if (ended.inside) {
        stay_with_merge(db, ended, regression, endings, now_s);
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
    move_regression(db, regression, RegressionState::range, ending.reason, now_s);
}

}  // namespace

void conclude_bisection(
    Database& db,
    BisectionId bisection,
    const BisectionConclusion& conclusion,
    std::int64_t now_s) {
    const auto ended = load_ended(db, bisection);
    close_bisection(db, bisection, BisectionState::done, conclusion, now_s);
    const auto causes = causes_of(ended, conclusion.endings);
    std::vector<RegressionId> regressions;  // all are split before any becomes another
    for (const auto& [cause, endings] : causes) {
        const bool first = regressions.empty();
        regressions.push_back(first ? ended.regression : split(db, ended.regression, now_s));
        give_series(db, ended, endings, regressions.back());
    }
    auto regression = regressions.begin();
    for (const auto& [cause, endings] : causes) {
        attribute(db, ended, *regression++, endings, now_s);
    }
}

void fail_bisection(
    Database& db, BisectionId bisection, const std::string& why, std::int64_t now_s) {
    close_bisection(db, bisection, BisectionState::failed, {why, {}, {}}, now_s);
    if (is_breakage(db, bisection)) return;  // its night has failed already
    const auto ended = load_ended(db, bisection);
    if (ended.inside) {
        const auto reason = load_reason(db, ended.regression) + "; searched inside, what parent " +
                            std::to_string(ended.inside->parent) + " brought: " + why;
        move_regression(db, ended.regression, RegressionState::attributed, reason, now_s);
    } else {
        move_regression(db, ended.regression, RegressionState::range, why, now_s);
    }
}

void move_regression(
    Database& db,
    RegressionId regression,
    RegressionState state,
    const std::string& reason,
    std::int64_t now_s) {
    const auto moved = db.execute(
        "UPDATE regression SET state = ?2, reason = ?3, changed_at_s = ?4 WHERE id = ?1 "
        "AND state NOT IN ('recovered', 'closed')",
        regression,
        state,
        reason,
        now_s);
    if (moved == 0) return;
    record_event(
        db,
        now_s,
        "regression." + std::string(to_string(state)),
        db.find<ProjectId>("SELECT project_id FROM regression WHERE id = ?1", regression),
        "regression/" + to_string(regression),
        reason);
}

}  // namespace vigil::service
