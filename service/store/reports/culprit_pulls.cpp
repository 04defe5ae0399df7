#include "service/store/reports/culprit_pulls.hpp"

namespace vigil::service {

void ask_for_culprits(Database& db, ProjectId project, const std::string& target) {
    db.execute(
        "INSERT INTO culprit_pull(regression_id, target, revision, state, next_attempt_at_s) "
        "SELECT g.id, ?2, g.culprit, 'asking', 0 FROM regression g WHERE g.project_id = ?1 "
        "AND g.state IN {open_regressions} AND g.culprit IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "
        "culprit_pull c "
        "WHERE c.regression_id = g.id AND c.target = ?2 AND c.revision = g.culprit) "
        "AND EXISTS (SELECT 1 FROM report r JOIN outbox o ON o.report_id = r.id "
        "AND o.target = ?2 WHERE r.regression_id = g.id)",
        project,
        target);
}

void forget_culprit(Database& db, std::int64_t culprit) {
    db.execute("DELETE FROM culprit_pull WHERE id = ?1", culprit);
}

std::vector<RequestedCulprit> list_requested_culprits(
    Database& db, std::int64_t steady_s, int limit) {
    return db.all<RequestedCulprit>(
        "SELECT id, regression_id, target, revision, attempts FROM culprit_pull "
        "WHERE state = 'asking' AND next_attempt_at_s <= ?1 ORDER BY next_attempt_at_s, id "
        "LIMIT ?2",
        steady_s,
        limit);
}

void write_requested_culprit(Database& db, std::int64_t culprit, const OutboxRow& row) {
    db.execute(
        "UPDATE culprit_pull SET state = iif(?2, 'none', state), attempts = ?3, "
        "next_attempt_at_s = ?4, message = ?5 WHERE id = ?1",
        culprit,
        row.state == OutboxState::dead,
        row.attempts,
        row.next_attempt_at_s,
        row.message);
}

void note_culprit_pull(Database& db, std::int64_t culprit, std::optional<std::int64_t> number) {
    db.execute(
        "UPDATE culprit_pull SET state = iif(?2 IS NULL, 'none', 'found'), "
        "number = coalesce(?2, 0), message = '' WHERE id = ?1",
        culprit,
        number);
}

void untell_culprits(Database& db, RegressionId regression) {
    db.execute("UPDATE culprit_pull SET told = 0 WHERE regression_id = ?1", regression);
}

std::vector<CulpritPlace> list_unreported_culprits(
    Database& db, const std::string& target, int limit) {
    return db.all<CulpritPlace>(
        "SELECT c.target, c.number FROM culprit_pull c INDEXED BY culprit_pull_untold "
        "WHERE c.state = 'found' AND c.told = 0 AND c.target = ?1 "
        "AND EXISTS (SELECT 1 FROM report r JOIN outbox o ON o.report_id = r.id "
        "AND o.target = c.target WHERE r.regression_id = c.regression_id "
        "AND o.external_ref <> '') GROUP BY c.number ORDER BY min(c.id) LIMIT ?2",
        target,
        limit);
}

std::vector<CulpritRow> list_culprits_at(Database& db, const CulpritPlace& place, int limit) {
    return db.all<CulpritRow>(
        "SELECT c.regression_id, c.revision, o.external_ref FROM culprit_pull c "
        "JOIN outbox o ON o.id = (SELECT x.id FROM report r JOIN outbox x ON x.report_id = r.id "
        "AND x.target = c.target WHERE r.regression_id = c.regression_id "
        "AND x.external_ref <> '' ORDER BY r.version DESC LIMIT 1) "
        "WHERE c.target = ?1 AND c.number = ?2 AND c.state = 'found' ORDER BY c.id LIMIT ?3",
        place,
        limit);
}

void note_culprits_told(Database& db, const CulpritPlace& place) {
    db.execute(
        "UPDATE culprit_pull SET told = 1 WHERE target = ?1 AND number = ?2 AND state = 'found'",
        place);
}

}  // namespace vigil::service
