#include "service/store/reports/outbox.hpp"

namespace vigil::service {

namespace {

// Of a message `o` an OutboxRow.
const std::string outbox_columns =
    "o.state, o.attempts, o.in_vain, o.ambiguous, o.in_flight, o.filings, o.filed_at_s, "
    "o.next_attempt_at_s, o.external_ref, o.message ";

// The earlier versions of the same document that went, or go, to the same target.
const std::string earlier_rows =
    "FROM outbox o JOIN report r ON r.id = o.report_id WHERE o.target = ?1 AND r.subject = ?2 "
    "AND r.version < ?3";

}  // namespace

std::vector<std::string> list_due_targets(Database& db, std::int64_t steady_s) {
    return db.all<std::string>(
        "SELECT target FROM outbox o WHERE state = 'pending' AND next_attempt_at_s <= ?1 "
        "AND NOT EXISTS (SELECT 1 FROM outbox b WHERE b.state = 'pending' AND b.target = o.target "
        "AND b.in_flight AND b.next_attempt_at_s > ?1) "
        "GROUP BY target ORDER BY min(id)",
        steady_s);
}

std::optional<std::int64_t> find_due(
    Database& db, const std::string& target, std::int64_t steady_s) {
    return db.find<std::int64_t>(
        "SELECT o.id FROM outbox o JOIN report r ON r.id = o.report_id "
        "WHERE o.state = 'pending' AND o.target = ?1 AND o.next_attempt_at_s <= ?2 "
        "AND NOT EXISTS (SELECT 1 FROM report v JOIN outbox w ON w.report_id = v.id "
        "AND w.target = o.target WHERE v.subject = r.subject AND v.version > r.version) "
        "ORDER BY o.id LIMIT 1",
        target,
        steady_s);
}

std::vector<std::int64_t> list_waiting_beside(Database& db, std::int64_t outbox_id, int limit) {
    return db.all<std::int64_t>(
        "SELECT o.id FROM outbox me JOIN outbox o ON o.target = me.target AND o.id <> me.id "
        "AND o.state = 'pending' AND o.in_flight = 0 JOIN report r ON r.id = o.report_id "
        "WHERE me.id = ?1 AND NOT EXISTS (SELECT 1 FROM report v JOIN outbox w "
        "ON w.report_id = v.id AND w.target = o.target WHERE v.subject = r.subject "
        "AND v.version > r.version) ORDER BY o.id LIMIT ?2",
        outbox_id,
        limit);
}

DueRow load_due(Database& db, std::int64_t outbox_id) {
    auto due = db.first<DueRow>(
        "SELECT o.id, o.target, " + outbox_columns +
            ", r.id, r.project_id, r.regression_id, r.nightly_id, r.trouble_id, r.about_id, "
            "r.part, "
            "r.title, r.body, r.version, r.created_at_s, p.name, coalesce(n.name, ''), g.state, "
            "t.ended_s IS NOT NULL, r.told_state, r.told_culprit, r.told_ratio, r.told_broken, "
            "r.told_ended_as "
            "FROM outbox o JOIN report r ON r.id = o.report_id "
            "JOIN project p ON p.id = r.project_id LEFT JOIN nightly n ON n.id = r.nightly_id "
            "LEFT JOIN regression g ON g.id = r.regression_id "
            "LEFT JOIN trouble t ON t.id = r.trouble_id WHERE o.id = ?1",
        outbox_id);
    VIGIL_ASSERT(due.has_value());
    return std::move(*due);
}

std::vector<EarlierRow> list_earlier(Database& db, const DueRow& due) {
    return db.all<EarlierRow>(
        "SELECT " + outbox_columns + ", o.closed, r.created_at_s " + earlier_rows +
            " ORDER BY r.version",
        due.target,
        key_of(due.subject),
        due.version);
}

std::vector<BegunRow> list_in_flight(Database& db) {
    return db.all<BegunRow>(
        "SELECT o.id, " + outbox_columns + "FROM outbox o WHERE state = 'pending' AND in_flight");
}

void write_outbox(Database& db, std::int64_t outbox_id, const OutboxRow& row) {
    db.execute(
        "UPDATE outbox SET state = ?2, attempts = ?3, in_vain = ?4, ambiguous = ?5, "
        "in_flight = ?6, filings = ?7, filed_at_s = ?8, next_attempt_at_s = ?9, "
        "external_ref = ?10, message = ?11 WHERE id = ?1",
        outbox_id,
        row);
}

void note_sent(Database& db, std::int64_t outbox_id, bool closed) {
    db.execute("UPDATE outbox SET closed = ?2 WHERE id = ?1", outbox_id, closed);
    db.execute(
        "UPDATE outbox SET ambiguous = 0 WHERE ambiguous AND state <> 'pending' AND id IN "
        "(SELECT o.id FROM outbox o JOIN report r ON r.id = o.report_id "
        "JOIN outbox me ON me.id = ?1 JOIN report mine ON mine.id = me.report_id "
        "WHERE o.target = me.target AND r.subject = mine.subject AND r.version < mine.version)",
        outbox_id);
}

void end_as_dead(Database& db, std::int64_t outbox_id, const std::string& why) {
    db.execute("UPDATE outbox SET state = 'dead', message = ?2 WHERE id = ?1", outbox_id, why);
}

void end_all_as_dead(Database& db, const std::string& target, const std::string& why) {
    db.execute(
        "UPDATE outbox SET state = 'dead', message = ?2 WHERE state = 'pending' AND target = ?1",
        target,
        why);
}

void replace_older(Database& db, const DueRow& due) {
    db.execute(
        "UPDATE outbox SET state = 'dead', message = 'replaced by version ' || ?3 "
        "WHERE state = 'pending' AND id IN (SELECT o.id " +
            earlier_rows + ")",
        due.target,
        key_of(due.subject),
        due.version);
}

void postpone(Database& db, std::int64_t outbox_id, std::int64_t until_s) {
    db.execute("UPDATE outbox SET next_attempt_at_s = ?2 WHERE id = ?1", outbox_id, until_s);
}

std::optional<IssuePlace> find_issue_place(
    Database& db, const std::string& target, RegressionId regression) {
    return db.first<IssuePlace>(
        "SELECT o.external_ref, o.state FROM report r JOIN outbox o ON o.report_id = r.id "
        "AND o.target = ?1 WHERE r.regression_id = ?2 "
        "ORDER BY o.external_ref = '', r.version DESC LIMIT 1",
        target,
        regression);
}

std::optional<ClosedIssue> find_closed_issue(
    Database& db, const std::string& target, RegressionId regression, std::int64_t since_s) {
    return db.first<ClosedIssue>(
        "SELECT o.id, x.external_ref FROM regression_series mine "
        "JOIN regression_series theirs ON theirs.series_id = mine.series_id "
        "AND theirs.regression_id < mine.regression_id "
        "AND theirs.recovered_nightly_id IS NOT NULL "
        "JOIN regression o ON o.id = theirs.regression_id AND o.ended_as = 'recovered' "
        "JOIN report p ON p.regression_id = o.id AND p.created_at_s >= ?3 "
        "JOIN outbox x ON x.report_id = p.id AND x.target = ?2 AND x.closed = 1 "
        "AND x.state = 'sent' AND x.external_ref <> '' WHERE mine.regression_id = ?1 "
        "AND NOT EXISTS (SELECT 1 FROM outbox y JOIN report q ON q.id = y.report_id "
        "WHERE y.external_ref = x.external_ref AND y.external_ref <> '' AND y.target = ?2 "
        "AND q.regression_id > o.id) "
        "GROUP BY o.id HAVING count(DISTINCT theirs.series_id) = (SELECT count(*) "
        "FROM regression_series WHERE regression_id = ?1) AND count(DISTINCT theirs.series_id) = "
        "(SELECT count(*) FROM regression_series WHERE regression_id = o.id) "
        "ORDER BY o.id DESC LIMIT 1",
        regression,
        target,
        since_s);
}

void take_issue(
    Database& db, ReportId report, const std::string& target, const std::string& external_ref) {
    db.execute(
        "UPDATE outbox SET external_ref = ?3 WHERE report_id = ?1 AND target = ?2",
        report,
        target,
        external_ref);
}

bool is_taken(Database& db, const std::string& target, RegressionId regression) {
    return db
        .find<bool>(
            "SELECT EXISTS (SELECT 1 FROM report p JOIN outbox x ON x.report_id = p.id "
            "AND x.target = ?1 AND x.external_ref <> '' JOIN outbox y "
            "ON y.external_ref = x.external_ref AND y.external_ref <> '' AND y.target = ?1 "
            "JOIN report q ON q.id = y.report_id AND q.regression_id > p.regression_id "
            "WHERE p.regression_id = ?2)",
            target,
            regression)
        .value_or(false);
}

std::optional<std::int64_t> find_last_comment_s(
    Database& db, const std::string& target, RegressionId regression, std::int64_t part) {
    // Of what is sent: when it was. What has a reference is there, and looked at once more.
    return db.find<std::int64_t>(
        "SELECT max(o.next_attempt_at_s) FROM report r JOIN outbox o ON o.report_id = r.id "
        "AND o.target = ?1 WHERE r.about_id = ?2 AND r.part < ?3 "
        "AND (o.state = 'sent' OR o.external_ref <> '')",
        target,
        regression,
        part);
}

std::optional<std::int64_t> find_last_sent_s(Database& db, const std::string& target) {
    // Of what is sent: when it was.
    return db.find<std::int64_t>(
        "SELECT max(next_attempt_at_s) FROM outbox WHERE target = ?1 AND state = 'sent'", target);
}

std::vector<GivenUp> list_given_up(Database& db, ReportId report) {
    return db.all<GivenUp>(
        "SELECT outbox_id, target FROM given_up WHERE report_id = ?1 ORDER BY outbox_id", report);
}

void revive(Database& db, std::int64_t outbox_id, std::int64_t steady_s) {
    db.execute(
        "UPDATE outbox SET state = 'pending', ambiguous = ambiguous OR attempts > 0, "
        "attempts = 0, in_vain = 0, next_attempt_at_s = ?2, message = '' WHERE id = ?1",
        outbox_id,
        steady_s);
}

}  // namespace vigil::service
