#include "service/store/findings/regressions.hpp"

#include <nlohmann/json.hpp>

#include "schema/model/by_hand.hpp"
#include "schema/wire/json.hpp"
#include "service/store/events.hpp"
#include "service/store/json_columns.hpp"

namespace vigil::service {

namespace {

// A regression `r` as a RegressionRow.
const std::string select_regressions =
    "SELECT r.id, r.project_id, r.state, r.bisection_id, r.culprit, r.suspects, r.reason, "
    "r.ended_as FROM regression r ";

// Without the rest of its row, which may be what cannot be read.
RegressionState load_state(Database& db, RegressionId regression) {
    return db.load<RegressionState>(
        "regression", "SELECT state FROM regression WHERE id = ?1", regression);
}

}  // namespace

RegressionRow load_regression(Database& db, RegressionId regression) {
    return db.load<RegressionRow>("regression", select_regressions + "WHERE r.id = ?1", regression);
}

RegressionId load_regression_of(Database& db, BisectionId bisection) {
    return db.load<RegressionId>(
        "regression of bisection",
        "SELECT id FROM regression WHERE bisection_id = ?1 ORDER BY id LIMIT 1",
        bisection);
}

std::vector<RegressionRow> list_with_culprit(
    Database& db, ProjectId project, const Revision& culprit) {
    return db.all<RegressionRow>(
        select_regressions + "WHERE r.culprit = ?2 AND r.project_id = ?1 ORDER BY r.id",
        project,
        culprit);
}

std::vector<RegressionRow> list_left_with(
    Database& db, ProjectId project, const std::vector<Revision>& left) {
    return db.all<RegressionRow>(
        select_regressions +
            "WHERE r.suspects = ?2 AND r.suspects <> '[]' AND r.project_id = ?1 ORDER BY r.id",
        project,
        left);
}

std::vector<RegressionRow> list_named_before(Database& db, NightlyId nightly, int nights) {
    return db.all<RegressionRow>(
        select_regressions +
            "JOIN nightly t ON t.id = ?1 "
            "AND t.project_id = r.project_id WHERE r.culprit IS NOT NULL AND r.nightly_id < ?1 "
            "AND (r.state = 'attributed' OR r.state IN {reported_regressions}) "
            "AND r.nightly_id >= ifnull((SELECT n.id FROM night n "
            "WHERE n.project_id = t.project_id AND n.id < ?1 ORDER BY n.id DESC "
            "LIMIT 1 OFFSET ?2), 0) ORDER BY r.id",
        nightly,
        nights - 1);
}

NightlyId load_finding_night(Database& db, RegressionId regression) {
    return db.load<NightlyId>(
        "regression", "SELECT nightly_id FROM regression WHERE id = ?1", regression);
}

bool is_still_worse(Database& db, RegressionId regression, NightlyId nightly) {
    const auto undecided = db.find<std::int64_t>(
        "SELECT max(EXISTS (SELECT 1 FROM suspicion u WHERE u.series_id = x.series_id "
        "AND u.nightly_id = ?2 AND ifnull(u.verdict, 'watch') = 'watch')) "
        "FROM regression_series x WHERE x.regression_id = ?1 AND NOT EXISTS (SELECT 1 "
        "FROM regression_series b WHERE b.regression_id = ?1 "
        "AND b.recovered_nightly_id IS NOT NULL) "
        "AND EXISTS (SELECT 1 FROM night_value v WHERE v.series_id = x.series_id "
        "AND v.nightly_id = ?2 AND NOT EXISTS (SELECT 1 FROM left_out o "
        "WHERE o.nightly_id = ?2 AND o.worker_id IN (0, v.worker_id))) "
        "HAVING count(*) > 0",
        regression,
        nightly);
    return undecided == 0;
}

std::vector<RegressionId> list_unsearched_regressions(Database& db, NightlyId nightly) {
    return db.all<RegressionId>(
        "SELECT id FROM regression WHERE nightly_id = ?1 AND state = 'searching' ORDER BY id",
        nightly);
}

std::vector<SearchedRegression> list_searched_regressions(Database& db, BisectionId bisection) {
    return db.all<SearchedRegression>(
        "SELECT id, culprit IS NOT NULL FROM regression WHERE state = 'searching' "
        "AND (bisection_id = ?1 OR bisection_id = (SELECT outer_id FROM bisection WHERE id = ?1)) "
        "ORDER BY id",
        bisection);
}

RegressionId add_regression(Database& db, const NewRegression& regression, std::int64_t now_s) {
    return db.insert<RegressionId>(
        "INSERT INTO regression(project_id, nightly_id, good_build_id, bad_build_id, "
        "bisection_id, state, reason, created_at_s, changed_at_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, "
        "?7, ?8, ?8)",
        regression,
        now_s);
}

RegressionId split_regression(
    Database& db, RegressionId from, RegressionState state, std::int64_t now_s) {
    return db.insert<RegressionId>(
        "INSERT INTO regression(project_id, nightly_id, state, ended_as, good_build_id, "
        "bad_build_id, bisection_id, split_from_id, culprit, suspects, reason, created_at_s, "
        "changed_at_s) SELECT project_id, nightly_id, ?2, ended_as, good_build_id, bad_build_id, "
        "bisection_id, id, culprit, suspects, reason, ?3, ?3 FROM regression WHERE id = ?1",
        from,
        state,
        now_s);
}

bool move_regression(
    Database& db,
    RegressionId regression,
    RegressionState to,
    const std::string& reason,
    std::int64_t now_s) {
    VIGIL_ASSERT(to != RegressionState::closed);
    const auto from = load_state(db, regression);
    if (from == RegressionState::closed) return false;
    check_move("regression", regression, from, to);
    db.execute(
        "UPDATE regression SET state = ?2, reason = ?3, changed_at_s = ?4 WHERE id = ?1",
        regression,
        to,
        reason,
        now_s);
    record_regression_event(db, regression, to_string(to), reason, now_s);
    return true;
}

bool move_to_reported(Database& db, RegressionId regression, std::int64_t now_s) {
    using S = RegressionState;
    static_assert(may_move(S::attributed, S::reported) && may_move(S::range, S::reported));
    return db.execute(
               "UPDATE regression SET state = 'reported', changed_at_s = ?2 "
               "WHERE id = ?1 AND state IN {unreported_regressions}",
               regression,
               now_s) > 0;
}

bool close_regression(
    Database& db,
    RegressionId regression,
    RegressionEnd ended_as,
    const std::string& words,
    std::int64_t now_s) {
    const auto from = load_state(db, regression);
    if (from == RegressionState::closed) return false;
    check_move("regression", regression, from, RegressionState::closed);
    db.execute(
        "UPDATE regression SET state = 'closed', ended_as = ?2, changed_at_s = ?4, "
        "reason = iif(?2 = 'recovered', reason, ?3) WHERE id = ?1",
        regression,
        ended_as,
        words,
        now_s);
    if (ended_as != RegressionEnd::joined)
        record_regression_event(db, regression, to_string(ended_as), words, now_s);
    record_regression_event(db, regression, "closed", words, now_s);
    return true;
}

void move_by_hand(
    Database& db,
    RegressionId regression,
    RegressionState to,
    const std::string& by,
    const std::string& reason,
    std::int64_t now_s) {
    const auto from = load_state(db, regression);
    if (from == to) return;
    const std::string state(to_string(to));
    if (!may_move_by_hand(from, to)) {
        throw Error(
            Errc::conflict,
            "regression " + to_string(regression) + " is " + std::string(to_string(from)) +
                "; it cannot become " + state + " by hand");
    }
    db.execute(
        "UPDATE regression SET state = ?2, ended_as = NULL, changed_at_s = ?3 WHERE id = ?1",
        regression,
        to,
        now_s);
    if (to == RegressionState::reported) {
        db.execute(
            "UPDATE regression_series SET recovered_nightly_id = NULL WHERE regression_id = ?1",
            regression);
    }
    record_regression_event(
        db,
        regression,
        state,
        by + " set regression " + to_string(regression) + " to " + state,
        now_s,
        wire::write_json({{"from", to_string(from)}, {"by", by}, {"reason", reason}}));
}

void assign_regression(
    Database& db,
    RegressionId regression,
    const std::string& to,
    const std::string& by,
    const std::string& reason,
    std::int64_t now_s) {
    load_state(db, regression);
    db.execute(
        "UPDATE regression SET assigned = ?2, changed_at_s = ?3 WHERE id = ?1",
        regression,
        to,
        now_s);
    record_regression_event(
        db,
        regression,
        "assigned",
        by + " assigned regression " + to_string(regression) + " to " +
            (to.empty() ? "nobody" : to),
        now_s,
        wire::write_json({{"to", to}, {"who", by}, {"reason", reason}}));
}

void note_culprit(
    Database& db, RegressionId regression, const Revision& culprit, BisectionId bisection) {
    db.execute(
        "UPDATE regression SET culprit = ?2, bisection_id = ?3, suspects = '[]' WHERE id = ?1",
        regression,
        culprit,
        bisection);
}

void note_left(Database& db, RegressionId regression, const std::vector<Revision>& left) {
    db.execute("UPDATE regression SET suspects = ?2 WHERE id = ?1", regression, left);
}

void touch_regression(Database& db, RegressionId regression, std::int64_t now_s) {
    db.execute("UPDATE regression SET changed_at_s = ?2 WHERE id = ?1", regression, now_s);
}

void touch_regressions_of(Database& db, NightlyId nightly, std::int64_t now_s) {
    db.execute(
        "UPDATE regression SET changed_at_s = ?2 WHERE nightly_id = ?1 OR id IN (SELECT "
        "regression_id FROM regression_series WHERE recovered_nightly_id = ?1)",
        nightly,
        now_s);
}

void touch_others(Database& db, RegressionId regression, std::int64_t now_s) {
    db.execute(
        "UPDATE regression SET changed_at_s = ?2 WHERE id <> ?1 "
        "AND state IN {reported_regressions} AND id IN "
        "(SELECT o.regression_id FROM regression_series m JOIN regression_series o "
        "ON o.suspicion_id = m.suspicion_id WHERE m.regression_id = ?1)",
        regression,
        now_s);
}

void record_regression_event(
    Database& db,
    RegressionId regression,
    std::string_view what,
    const std::string& words,
    std::int64_t now_s,
    const std::string& data_json) {
    const auto project =
        db.find<ProjectId>("SELECT project_id FROM regression WHERE id = ?1", regression);
    const auto subject = "regression/" + to_string(regression);
    record_event(db, now_s, "regression." + std::string(what), project, subject, words, data_json);
}

std::vector<HeldSeries> list_held_series(Database& db, RegressionId regression) {
    return db.all<HeldSeries>(
        "SELECT series_id, recovered_nightly_id FROM regression_series WHERE regression_id = ?1 "
        "ORDER BY series_id",
        regression);
}

std::optional<MeasuredChange> find_change(Database& db, RegressionId regression, SeriesId series) {
    return db.first<MeasuredChange>(
        "SELECT u.nightly_id, u.kind = 'outcome', u.base, s.direction, u.confirmed, x.verified "
        "FROM regression_series x JOIN suspicion u ON u.id = x.suspicion_id "
        "JOIN series s ON s.id = x.series_id WHERE x.regression_id = ?1 AND x.series_id = ?2",
        regression,
        series);
}

bool has_verified(Database& db, RegressionId regression) {
    return db.has(
        "SELECT 1 FROM regression_series WHERE regression_id = ?1 AND verified <> '{}' LIMIT 1",
        regression);
}

std::vector<OpenChange> list_open_changes(Database& db, SeriesId series) {
    return db.all<OpenChange>(
        "SELECT g.id, u.good_nightly_id, u.base, s.direction FROM regression_series x "
        "JOIN regression g ON g.id = x.regression_id AND g.state IN {open_regressions} "
        "JOIN suspicion u ON u.id = x.suspicion_id JOIN series s ON s.id = x.series_id "
        "WHERE x.series_id = ?1 AND x.recovered_nightly_id IS NULL ORDER BY g.id",
        series);
}

std::vector<OpenLevel> list_open_levels(Database& db, ProjectId project) {
    return db.all<OpenLevel>(
        "SELECT x.series_id, g.id, u.good_nightly_id, u.base, s.direction, u.confirmed "
        "FROM regression g JOIN regression_series x ON x.regression_id = g.id "
        "AND x.recovered_nightly_id IS NULL JOIN suspicion u ON u.id = x.suspicion_id "
        "AND u.kind = 'level' JOIN series s ON s.id = x.series_id WHERE g.project_id = ?1 "
        "AND g.state IN {open_regressions} ORDER BY g.id",
        project);
}

void add_series(Database& db, RegressionId regression, SeriesId series, SuspicionId suspicion) {
    db.execute(
        "INSERT INTO regression_series(regression_id, series_id, suspicion_id) "
        "VALUES (?1, ?2, ?3)",
        regression,
        series,
        suspicion);
}

void copy_series(Database& db, RegressionId from, RegressionId to, SeriesId series) {
    db.execute(
        "INSERT INTO regression_series(regression_id, series_id, suspicion_id, "
        "recovered_nightly_id, verified) SELECT ?2, series_id, suspicion_id, "
        "recovered_nightly_id, verified FROM regression_series "
        "WHERE regression_id = ?1 AND series_id = ?3",
        from,
        to,
        series);
}

void remove_series(Database& db, RegressionId regression, SeriesId series) {
    db.execute(
        "DELETE FROM regression_series WHERE regression_id = ?1 AND series_id = ?2",
        regression,
        series);
}

int join_series(Database& db, RegressionId from, RegressionId to) {
    db.execute(
        "UPDATE regression_series SET recovered_nightly_id = NULL WHERE regression_id = ?2 "
        "AND series_id IN (SELECT series_id FROM regression_series WHERE regression_id = ?1)",
        from,
        to);
    const auto joined = db.execute(
        "UPDATE OR IGNORE regression_series SET regression_id = ?2 WHERE regression_id = ?1",
        from,
        to);
    db.execute("DELETE FROM regression_series WHERE regression_id = ?1", from);
    return static_cast<int>(joined);
}

void note_verified(
    Database& db, RegressionId regression, SeriesId series, const Comparison& verified) {
    db.execute(
        "UPDATE regression_series SET verified = ?3 WHERE regression_id = ?1 AND series_id = ?2",
        regression,
        series,
        verified.runs_after > 0 ? verified : Comparison{});
}

void note_recovered(Database& db, RegressionId regression, SeriesId series, NightlyId nightly) {
    db.execute(
        "UPDATE regression_series SET recovered_nightly_id = ?3 "
        "WHERE regression_id = ?1 AND series_id = ?2",
        regression,
        series,
        nightly);
}

}  // namespace vigil::service
