#include "service/store/findings/reported_searches.hpp"

namespace vigil::service {

std::optional<SearchRecords> find_search_records(Database& db, BisectionId bisection) {
    return db.first<SearchRecords>(
        "SELECT settings, conclusion FROM bisection WHERE id = ?1", bisection);
}

std::vector<Revision> list_line(Database& db, BisectionId bisection) {
    return db.all<Revision>(
        "SELECT revision FROM suspect WHERE bisection_id = ?1 ORDER BY position", bisection);
}

std::optional<Revision> find_begin(Database& db, BisectionId bisection) {
    return db.find<Revision>(
        "SELECT good_revision FROM bisection WHERE id = ?1 AND state <> 'listing'", bisection);
}

std::vector<SuspectFact> list_suspect_facts(Database& db, BisectionId bisection) {
    return db.all<SuspectFact>(
        "SELECT s.position, s.revision, s.parent, s.merge, s.subject, s.author, s.authored_at_s, "
        "s.pins, "
        "EXISTS (SELECT 1 FROM product p WHERE p.build_id = s.build_id AND p.state = 'built'), "
        "coalesce(nullif(b.input_error, ''), (SELECT CASE p.message WHEN '' THEN "
        "'the build failed' ELSE p.message END FROM product p WHERE p.build_id = s.build_id "
        "AND p.state = 'failed' ORDER BY p.id DESC LIMIT 1), ''), "
        "coalesce(b.input_error, '') <> '', "
        "(SELECT p.log_digest FROM product p WHERE p.build_id = s.build_id AND p.state = 'failed' "
        "ORDER BY p.id DESC LIMIT 1) "
        "FROM suspect s LEFT JOIN build b ON b.id = s.build_id "
        "WHERE s.bisection_id = ?1 ORDER BY s.position",
        bisection);
}

std::optional<DependencyCommit> find_dependency_commit(
    Database& db, BisectionId bisection, int position) {
    return db.first<DependencyCommit>(
        "SELECT stands_for, subject, author FROM suspect WHERE bisection_id = ?1 "
        "AND position = ?2 AND stands_for IS NOT NULL",
        bisection,
        position);
}

std::vector<ReportedProbe> list_reported_probes(Database& db, BisectionId bisection) {
    return db.all<ReportedProbe>(
        "SELECT p.id, p.number, p.plan, p.state = 'open', coalesce(m.name, '') FROM probe p "
        "LEFT JOIN job j ON j.probe_id = p.id "
        "LEFT JOIN machine_class m ON m.id = j.machine_class_id "
        "WHERE p.bisection_id = ?1 GROUP BY p.id ORDER BY p.number",
        bisection);
}

std::vector<ProbeValue> list_probe_values(Database& db, BisectionId bisection, ProbeId probe) {
    return db.all<ProbeValue>(
        "SELECT r.id, s.position, r.outcome, r.message, m.series_id, m.median FROM job j "
        "CROSS JOIN run r ON r.job_id = j.id "
        "CROSS JOIN suspect s ON s.bisection_id = ?2 AND s.build_id = r.build_id "
        "LEFT JOIN judged_measurement m ON m.run_id = r.id WHERE j.probe_id = ?1 "
        "AND r.attempt = (SELECT max(attempt) FROM run WHERE job_id = j.id) "
        "ORDER BY r.started_at_ns, r.id",
        probe,
        bisection);
}

std::vector<ReportedInside> list_reported_inside(
    Database& db, BisectionId outer, const Revision& merge, std::optional<BisectionId> last) {
    return db.all<ReportedInside>(
        "SELECT b.id, b.parent, b.good_revision, b.bad_revision, (SELECT count(*) FROM suspect "
        "s WHERE s.bisection_id = b.id AND s.position > 0), coalesce((SELECT s.subject FROM "
        "suspect s WHERE s.bisection_id = b.outer_id AND s.revision = b.merge), ''), "
        "b.dependency FROM bisection b WHERE b.outer_id = ?1 AND b.merge = ?2 AND (?3 IS NULL OR "
        "b.id <= ?3) "
        "ORDER BY b.id",
        outer,
        merge,
        last);
}

std::optional<ReportedNights> find_reported_nights(Database& db, BisectionId commits) {
    return db.first<ReportedNights>(
        "SELECT (SELECT max(position) FROM suspect WHERE bisection_id = c.narrowed_by) - 1 AS n, "
        "coalesce((SELECT subject FROM suspect WHERE bisection_id = c.narrowed_by "
        "AND revision = c.good_revision LIMIT 1), ''), "
        "coalesce((SELECT subject FROM suspect WHERE bisection_id = c.narrowed_by "
        "AND revision = c.bad_revision LIMIT 1), '') "
        "FROM bisection c WHERE c.id = ?1 AND c.narrowed_by IS NOT NULL AND n > 0",
        commits);
}

std::optional<ReportedBreakage> find_reported_breakage(Database& db, NightlyId nightly) {
    return db.first<ReportedBreakage>(
        "SELECT b.id, b.state, b.conclusion, b.bad_revision, b.good_revision, "
        "coalesce((SELECT o.name FROM night o WHERE o.project_id = b.project_id "
        "AND o.revision = b.good_revision AND o.id < b.nightly_id ORDER BY o.id DESC LIMIT 1), "
        "''), (SELECT count(*) FROM suspect s WHERE s.bisection_id = b.id AND s.position > 0), "
        "(SELECT count(*) FROM probe p WHERE p.bisection_id = b.id), coalesce(b.log_tail, '') "
        "FROM bisection b WHERE b.nightly_id = ?1 AND b.kind = 'build' ORDER BY b.id DESC LIMIT 1",
        nightly);
}

std::optional<NightlyId> find_broken_nightly(
    Database& db, std::optional<ProjectId> project, std::int64_t since_s) {
    return db.find<NightlyId>(
        "SELECT MAX(nightly_id) FROM bisection WHERE project_id = ?1 AND kind = 'build' "
        "AND created_at_s >= ?2",
        project,
        since_s);
}

std::optional<BreakingCommit> find_breaking_commit(
    Database& db, BisectionId bisection, int position) {
    return db.first<BreakingCommit>(
        "SELECT revision, subject, author, pins, (SELECT p.log_digest FROM product p WHERE "
        "p.build_id = suspect.build_id AND p.state = 'failed' ORDER BY p.id DESC LIMIT 1) "
        "FROM suspect WHERE bisection_id = ?1 AND position = ?2",
        bisection,
        position);
}

}  // namespace vigil::service
