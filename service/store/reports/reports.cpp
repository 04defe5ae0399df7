#include "service/store/reports/reports.hpp"

#include "service/store/events.hpp"

namespace vigil::service {

namespace {

struct NewestReport {
    int version = 0;
    Document document;
};

}  // namespace

std::string_view kind_of(const ReportSubject& subject) {
    if (subject.comment_on) return "comment";
    if (subject.part != 0) return "week";
    return subject.regression ? "regression" : subject.nightly ? "night" : "trouble";
}

std::string key_of(const ReportSubject& subject) {
    VIGIL_ASSERT(
        int(subject.regression.has_value()) + int(subject.nightly.has_value()) +
            int(subject.trouble.has_value()) + int(subject.part != 0) ==
        1);
    const auto part = "/" + std::to_string(subject.part);
    if (subject.comment_on) return "comment/" + to_string(*subject.comment_on) + part;
    if (subject.part != 0) return "week/" + to_string(subject.project) + part;
    return subject.regression ? "regression/" + to_string(*subject.regression)
           : subject.nightly  ? "nightly/" + to_string(*subject.nightly)
                              : "trouble/" + to_string(*subject.trouble);
}

std::optional<StoredReport> add_report(
    Database& db,
    const ReportSubject& subject,
    const Document& document,
    const std::vector<std::string>& targets,
    std::int64_t now_s) {
    StoredReport stored;
    const auto newest = db.first<NewestReport>(
        "SELECT version, title, body FROM report WHERE subject = ?1 ORDER BY version DESC LIMIT 1",
        key_of(subject));
    if (newest) {
        const auto& [title, body] = newest->document;
        if (title == document.title && body == document.body) return std::nullopt;
        stored.version = newest->version + 1;
    }
    db.execute(
        "INSERT INTO report (kind, project_id, regression_id, nightly_id, version, title, body, "
        "created_at_s, trouble_id, about_id, part) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        kind_of(subject),
        subject.project,
        subject.regression,
        subject.nightly,
        stored.version,
        document.title,
        document.body,
        now_s,
        subject.trouble,
        subject.comment_on,
        subject.part);
    stored.id = ReportId{db.last_insert_id()};
    for (const auto& target : targets) {
        db.execute(
            "INSERT INTO outbox (report_id, target, state, next_attempt_at_s) "
            "VALUES (?1, ?2, 'pending', 0)",
            stored.id,
            target);
    }
    const auto words =
        document.title + (stored.version == 1 ? "" : ", version " + std::to_string(stored.version));
    const auto about = "report/" + to_string(stored.id);
    record_event(db, now_s, "report.stored", subject.project, about, words);
    return stored;
}

std::vector<DueReport> list_due_regressions(Database& db, int limit) {
    return db.all<DueReport>(
        "SELECT r.project_id, r.id, NULL, NULL, NULL, 0, p.name FROM regression r "
        "JOIN project p ON p.id = r.project_id "
        "WHERE r.unreported = 1 AND r.state <> 'searching' "
        "AND NOT EXISTS (SELECT 1 FROM muted WHERE regression_id = r.id) "
        "ORDER BY r.id LIMIT ?1",
        limit);
}

std::vector<DueReport> list_due_nights(Database& db, int limit) {
    return db.all<DueReport>(
        "SELECT n.project_id, NULL, n.id, NULL, NULL, 0, p.name FROM nightly n "
        "JOIN project p ON p.id = n.project_id WHERE n.summed_up = 0 AND n.state IN {ended_nights} "
        "AND NOT EXISTS "
        "(SELECT 1 FROM bisection b WHERE b.nightly_id = n.id AND b.kind <> 'mending' AND b.state "
        "IN {open_bisections}) ORDER BY n.id LIMIT ?1",
        limit);
}

std::vector<DueReport> list_due_troubles(
    Database& db, std::int64_t checked_after_s, std::int64_t now_s, int limit) {
    return db.all<DueReport>(
        "SELECT t.project_id, NULL, NULL, t.id, NULL, 0, p.name FROM trouble t "
        "JOIN project p ON p.id = t.project_id WHERE t.id IN (SELECT id FROM trouble WHERE ended_s "
        "IS NOT NULL "
        "AND told = 1 UNION ALL SELECT id FROM trouble WHERE ended_s IS NULL) "
        "AND (t.ended_s IS NOT NULL OR (t.told = 0 AND NOT EXISTS (SELECT 1 FROM trouble o "
        "WHERE o.kind = t.kind AND o.subject = t.subject AND o.told > 0 "
        "AND o.ended_s > t.since_s - 3600)) "
        "OR (t.told = 1 AND t.kind IN ('nightly.unbuildable', "
        "'night.many_causes') AND NOT EXISTS (SELECT 1 FROM "
        "report x WHERE x.subject = 'trouble/' || t.id AND x.checked_at_s > ?2 "
        "AND x.checked_at_s <= ?3))) ORDER BY (SELECT max(x.checked_at_s) FROM report x "
        "WHERE x.subject = 'trouble/' || t.id), t.id LIMIT ?1",
        limit,
        checked_after_s,
        now_s);
}

void note_reported(Database& db, const ReportSubject& subject, std::int64_t now_s) {
    if (subject.regression) {
        db.execute("UPDATE regression SET unreported = 0 WHERE id = ?1", *subject.regression);
    } else if (subject.nightly) {
        db.execute("UPDATE nightly SET summed_up = 1 WHERE id = ?1", *subject.nightly);
    } else {
        db.execute(
            "UPDATE report SET checked_at_s = ?2 WHERE subject = ?1", key_of(subject), now_s);
        db.execute(
            "UPDATE trouble SET told = CASE WHEN ended_s IS NULL THEN 1 ELSE 2 END WHERE id = ?1",
            *subject.trouble);
    }
}

void drop_never_reported(Database& db) {
    db.execute(
        "UPDATE regression SET unreported = 0 WHERE unreported = 1 AND state <> 'searching' AND "
        "state NOT IN {unreported_regressions} AND ended_as IS NOT 'not_reproduced' AND NOT EXISTS "
        "(SELECT 1 FROM "
        "report x "
        "WHERE x.regression_id = regression.id)");
}

std::optional<ToldFact> find_told(Database& db, const ReportSubject& subject) {
    return db.first<ToldFact>(
        "SELECT told_state, told_culprit, told_ratio, told_broken, told_ended_as FROM report "
        "WHERE subject = ?1 ORDER BY version DESC LIMIT 1",
        key_of(subject));
}

void mark_reported(Database& db, ReportId report, const ToldFact& told) {
    db.execute(
        "UPDATE report SET told_state = ?2, told_culprit = ?3, told_ratio = ?4, told_broken = ?5, "
        "told_ended_as = ?6 WHERE id = ?1",
        report,
        told);
}

NightsCauses load_causes(Database& db, RegressionId regression) {
    return load_causes_of(
        db,
        db.load<NightlyId>(
            "regression", "SELECT nightly_id FROM regression WHERE id = ?1", regression));
}

NightsCauses load_causes_of(Database& db, NightlyId nightly) {
    return db
        .first<NightsCauses>(
            "SELECT ?1, count(*), coalesce(sum(g.state IN {open_regressions}), 0) FROM regression "
            "g "
            "WHERE g.nightly_id = ?1 AND g.ended_as IS NOT 'not_reproduced' AND EXISTS "
            "(SELECT 1 FROM regression_series s WHERE s.regression_id = g.id)",
            nightly)
        .value();
}

bool was_noted(Database& db, std::string_view kind, const std::string& subject) {
    return db
        .find<bool>(
            "SELECT EXISTS (SELECT 1 FROM trouble WHERE subject = ?2 AND kind = ?1)", kind, subject)
        .value_or(false);
}

std::optional<std::int64_t> find_last_week_s(
    Database& db, ProjectId project, const std::string& target) {
    return db.find<std::int64_t>(
        "SELECT r.created_at_s FROM report r JOIN outbox o ON o.report_id = r.id "
        "AND o.target = ?2 WHERE r.kind = 'week' AND r.project_id = ?1 "
        "ORDER BY r.created_at_s DESC LIMIT 1",
        project,
        target);
}

std::optional<NewestComment> find_newest_comment(Database& db, RegressionId regression) {
    return db.first<NewestComment>(
        "SELECT r.part, r.body, NOT EXISTS (SELECT 1 FROM outbox o WHERE o.report_id = r.id "
        "AND (o.state <> 'pending' OR o.attempts > 0 OR o.ambiguous)) FROM report r WHERE "
        "r.about_id = ?1 "
        "ORDER BY r.part DESC, r.version DESC LIMIT 1",
        regression);
}

ProjectId load_report_project(Database& db, ReportId report) {
    return db.load<ProjectId>("report", "SELECT project_id FROM report WHERE id = ?1", report);
}

std::vector<std::string> list_filed_addresses(Database& db, RegressionId regression) {
    return db.all<std::string>(
        "SELECT DISTINCT o.external_ref FROM report r JOIN outbox o ON o.report_id = r.id "
        "WHERE r.regression_id = ?1 AND o.external_ref LIKE 'http%'",
        regression);
}

ReportedTrouble load_reported_trouble(Database& db, TroubleId trouble) {
    return db.load<ReportedTrouble>(
        "trouble",
        "SELECT t.id, t.kind, t.subject, t.project_id, coalesce(p.name, ''), t.message, t.since_s, "
        "t.ended_s FROM trouble t LEFT JOIN project p ON p.id = t.project_id WHERE t.id = ?1",
        trouble);
}

}  // namespace vigil::service
