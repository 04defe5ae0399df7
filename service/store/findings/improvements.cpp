#include "service/store/findings/improvements.hpp"

#include "service/store/json_columns.hpp"

namespace vigil::service {

std::vector<ConfirmedChange> list_better(Database& db, NightlyId nightly) {
    return db.all<ConfirmedChange>(
        "SELECT id, series_id, good_nightly_id, session_id, confirmed, 0, NULL FROM suspicion "
        "WHERE nightly_id = ?1 AND verdict = 'improvement' AND session_id IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM improvement WHERE nightly_id = ?1) ORDER BY id",
        nightly);
}

void add_improvement(Database& db, const NewImprovement& improvement, std::int64_t now_s) {
    db.execute(
        "INSERT INTO improvement(suspicion_id, project_id, nightly_id, others, request_id, "
        "message, ended_at_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, iif(?5 IS NULL, ?7, NULL))",
        improvement.suspicion,
        improvement.project,
        improvement.nightly,
        improvement.others,
        improvement.request,
        improvement.message,
        now_s);
}

std::vector<SearchedImprovement> list_searched_improvements(Database& db, int limit) {
    return db.all<SearchedImprovement>(
        "SELECT i.suspicion_id, i.request_id FROM improvement i INDEXED BY improvement_searched "
        "JOIN request r ON r.id = i.request_id AND r.state IN {ended_requests} "
        "WHERE i.ended_at_s IS NULL ORDER BY i.suspicion_id LIMIT ?1",
        limit);
}

void end_improvement(
    Database& db, SuspicionId suspicion, const ImprovementEnd& end, std::int64_t now_s) {
    db.execute(
        "UPDATE improvement SET culprit = nullif(?2, ''), subject = ?3, verified = ?4, message = "
        "?5, "
        "ended_at_s = ?6 WHERE suspicion_id = ?1",
        suspicion,
        end.found.revision,
        end.found.subject,
        end.found.verified,
        end.message,
        now_s);
}

void mark_improvements_reported(Database& db, ProjectId project, NightlyId nightly) {
    db.execute(
        "UPDATE improvement SET told_nightly_id = ?2 WHERE project_id = ?1 "
        "AND told_nightly_id IS NULL AND ended_at_s IS NOT NULL AND nightly_id <= ?2 "
        "AND EXISTS (SELECT 1 FROM night WHERE id = ?2)",
        project,
        nightly);
}

std::vector<NightImprovement> list_night_improvements(Database& db, NightlyId nightly) {
    return db.all<NightImprovement>(
        "SELECT u.id, s.shown, s.variant, c.name, s.metric, u.confirmed, n.id, n.name, i.others, "
        "i.request_id, i.culprit, i.subject, i.verified, i.message, i.ended_at_s IS NULL "
        "FROM improvement i JOIN suspicion u ON u.id = i.suspicion_id "
        "JOIN series s ON s.id = u.series_id JOIN machine_class c ON c.id = s.machine_class_id "
        "JOIN nightly n ON n.id = i.nightly_id "
        "WHERE i.nightly_id = ?1 OR i.told_nightly_id = ?1 ORDER BY u.id",
        nightly);
}

}  // namespace vigil::service
