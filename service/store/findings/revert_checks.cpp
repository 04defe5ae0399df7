#include "service/store/findings/revert_checks.hpp"

#include "schema/model/transitions.hpp"
#include "service/store/json_columns.hpp"
#include "service/store/row.hpp"

namespace vigil::service {

namespace {

const std::string select_checks =
    "SELECT r.regression_id, r.state, r.culprit, r.by_hand, r.series_id, r.size, r.parent, r.head, "
    "r.made, r.conflicts, r.conflicting, r.request_id, r.reverted, r.still, r.outcome, r.message, "
    "coalesce((SELECT s.merge FROM regression g JOIN suspect s "
    "ON s.bisection_id = g.bisection_id AND s.revision = r.culprit WHERE g.id = r.regression_id "
    "LIMIT 1), 0) AS is_merge ";

void move(Database& db, RegressionId regression, RevertState to) {
    check_move("revert check", regression, find_revert_check(db, regression).value().state, to);
    db.execute("UPDATE revert_check SET state = ?2 WHERE regression_id = ?1", regression, to);
}

}  // namespace

std::optional<RevertCheck> find_revert_check(Database& db, RegressionId regression) {
    return db.first<RevertCheck>(
        select_checks + "FROM revert_check r WHERE r.regression_id = ?1", regression);
}

std::vector<RevertCheck> list_open_revert_checks(Database& db, int limit) {
    return db.all<RevertCheck>(
        select_checks +
            "FROM revert_check r WHERE r.regression_id IN (SELECT regression_id FROM "
            "(SELECT o.regression_id, row_number() OVER (PARTITION BY g.project_id "
            "ORDER BY o.state = 'waiting', o.by_hand = 0, o.regression_id) AS turn "
            "FROM revert_check o INDEXED BY revert_open "
            "JOIN regression g ON g.id = o.regression_id "
            "WHERE o.state <> 'done' AND o.state <> 'applying') WHERE turn <= ?1) "
            "ORDER BY r.regression_id",
        limit);
}

std::vector<ApplyingRevert> list_applying_reverts(Database& db, int limit, ProjectId project) {
    return db.all<ApplyingRevert>(
        "SELECT r.regression_id, r.culprit FROM revert_check r INDEXED BY revert_open "
        "JOIN regression g ON g.id = r.regression_id AND g.project_id = ?2 "
        "WHERE r.state = 'applying' AND r.state <> 'done' ORDER BY r.regression_id LIMIT ?1",
        limit,
        project);
}

bool ask_revert_check(
    Database& db,
    RegressionId regression,
    const Revision& culprit,
    bool by_hand,
    std::int64_t now_s) {
    if (const auto known = find_revert_check(db, regression)) {
        if (known->state != RevertState::done && known->culprit == culprit) {
            if (!by_hand) return false;
            throw Error(
                Errc::conflict,
                "whether a revert helps is asked of regression " + to_string(regression) +
                    " already: it is " + std::string(to_string(known->state)));
        }
        if (!by_hand && known->culprit == culprit) return false;
        remove_revert_check(db, regression);
    }
    db.execute(
        "INSERT INTO revert_check(regression_id, state, culprit, by_hand, created_at_s) "
        "VALUES (?1, 'waiting', ?2, ?3, ?4)",
        regression,
        culprit,
        by_hand,
        now_s);
    return true;
}

void remove_revert_check(Database& db, RegressionId regression) {
    db.execute("DELETE FROM revert_check WHERE regression_id = ?1", regression);
}

void begin_revert_check(
    Database& db,
    RegressionId regression,
    SeriesId series,
    const Comparison& size,
    std::int64_t now_s) {
    move(db, regression, RevertState::applying);
    db.execute(
        "UPDATE revert_check SET series_id = ?2, size = ?3, begun_at_s = ?4 "
        "WHERE regression_id = ?1",
        regression,
        series,
        size,
        now_s);
}

void note_applied(Database& db, RegressionId regression, const AppliedRevert& applied) {
    db.execute(
        "UPDATE revert_check SET parent = ?2, head = ?3, made = ?4, conflicts = ?5, "
        "conflicting = ?6 WHERE regression_id = ?1",
        regression,
        applied);
}

void note_measured_by(Database& db, RegressionId regression, RevertState to, RequestId request) {
    move(db, regression, to);
    db.execute(
        "UPDATE revert_check SET request_id = ?2 WHERE regression_id = ?1", regression, request);
}

void note_reverted(Database& db, RegressionId regression, const Comparison& reverted) {
    db.execute(
        "UPDATE revert_check SET reverted = ?2 WHERE regression_id = ?1", regression, reverted);
}

void note_still(Database& db, RegressionId regression, const Comparison& still) {
    db.execute("UPDATE revert_check SET still = ?2 WHERE regression_id = ?1", regression, still);
}

void end_revert_check(
    Database& db,
    RegressionId regression,
    RevertOutcome outcome,
    const std::string& message,
    std::int64_t now_s) {
    move(db, regression, RevertState::done);
    db.execute(
        "UPDATE revert_check SET outcome = ?2, message = ?3, ended_at_s = ?4 "
        "WHERE regression_id = ?1",
        regression,
        outcome,
        message,
        now_s);
}

int count_revert_checks_since(Database& db, ProjectId project, std::int64_t since_s) {
    return db
        .find<int>(
            "SELECT count(*) FROM revert_check r INDEXED BY revert_begun "
            "JOIN regression g ON g.id = r.regression_id AND g.project_id = ?1 "
            "WHERE r.begun_at_s >= ?2 AND r.by_hand = 0",
            project,
            since_s)
        .value();
}

}  // namespace vigil::service
