#include "service/report/outbox.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "service/report/marker.hpp"
#include "service/report/render_night.hpp"
#include "service/report/render_trouble.hpp"
#include "service/report/tracker_pace.hpp"
#include "service/store/alone.hpp"
#include "service/store/database.hpp"
#include "service/store/events.hpp"
#include "service/store/troubles.hpp"

namespace vigil::service {

namespace {

struct DueRow {
    std::int64_t outbox_id = 0;
    std::string target;
    OutboxRow row;
    ReportId report;
    std::optional<RegressionId> regression;
    std::optional<NightlyId> nightly;
    std::optional<TroubleId> trouble;
    bool trouble_ended = false;
    std::string subject;  ///< of the report: what all its versions share
    std::string project_name;
    std::string day;
    std::string title;
    std::string body;
    int version = 0;
    std::optional<RegressionState> state;
};

DueRow read_due(const Query& row, const std::string& target) {
    DueRow one;
    one.outbox_id = row.get<std::int64_t>(0);
    one.target = target;
    one.row.attempts = row.get<int>(1);
    one.row.ambiguous = row.get<bool>(2);
    one.row.next_attempt_at_s = row.get<std::int64_t>(3);
    one.row.external_ref = row.get<std::string>(4);
    one.row.message = row.get<std::string>(5);
    one.row.filings = row.get<int>(6);
    one.row.filed_at_s = row.get<std::int64_t>(7);
    one.report = row.get<ReportId>(8);
    one.regression = row.get<std::optional<RegressionId>>(9);
    one.nightly = row.get<std::optional<NightlyId>>(10);
    one.project_name = row.get<std::string>(11);
    one.day = row.get<std::optional<std::string>>(12).value_or("");
    one.title = row.get<std::string>(13);
    one.body = row.get<std::string>(14);
    one.version = row.get<int>(15);
    one.state = row.get<std::optional<RegressionState>>(16);
    one.trouble = row.get<std::optional<TroubleId>>(17);
    one.subject = row.get<std::string>(18);
    one.trouble_ended = row.get<bool>(19);
    return one;
}

void end_as_dead(Database& db, std::int64_t outbox_id, const std::string& why) {
    db.execute("UPDATE outbox SET state = 'dead', message = ?2 WHERE id = ?1", outbox_id, why);
}

/// The message whose turn it is at `target`. Of a report only the newest version has one; the newer
/// one takes the older along. A row that cannot be read ends as dead, so that the others go on.
std::optional<DueRow> find_due(Database& db, const std::string& target, std::int64_t steady_s) {
    std::int64_t unreadable = 0;
    std::string why;
    {
        Query row = db.query(
            "SELECT o.id, o.attempts, o.ambiguous, o.next_attempt_at_s, o.external_ref, o.message, "
            "o.filings, o.filed_at_s, r.id, r.regression_id, r.nightly_id, p.name, n.day, r.title, "
            "r.body, r.version, g.state, r.trouble_id, r.subject, t.ended_s IS NOT NULL "
            "FROM outbox o JOIN report r ON r.id = o.report_id "
            "JOIN project p ON p.id = r.project_id LEFT JOIN nightly n ON n.id = r.nightly_id "
            "LEFT JOIN regression g ON g.id = r.regression_id "
            "LEFT JOIN trouble t ON t.id = r.trouble_id "
            "WHERE o.state = 'pending' AND o.target = ?1 AND o.next_attempt_at_s <= ?2 "
            "AND NOT EXISTS (SELECT 1 FROM report v JOIN outbox w ON w.report_id = v.id "
            "AND w.target = o.target WHERE v.subject = r.subject AND v.version > r.version) "
            "ORDER BY o.id LIMIT 1",
            target,
            steady_s);
        if (!row.next()) return std::nullopt;
        try {
            return read_due(row, target);
        } catch (const Error& error) {
            unreadable = row.get<std::int64_t>(0);
            why = error.what();
        }
    }
    end_as_dead(db, unreadable, why);
    return std::nullopt;
}

/// Targets with a message that is due.
std::vector<std::string> list_due_targets(Database& db, std::int64_t steady_s) {
    std::vector<std::string> targets;
    Query row = db.query(
        "SELECT target, min(id) AS first FROM outbox WHERE state = 'pending' "
        "AND next_attempt_at_s <= ?1 GROUP BY target ORDER BY first",
        steady_s);
    while (row.next()) targets.push_back(row.get<std::string>(0));
    return targets;
}

/// The other versions of the same document that went, or go, to the same target.
constexpr std::string_view siblings =
    "FROM outbox o JOIN report r ON r.id = o.report_id WHERE o.target = ?1 AND r.subject = ?2 ";

void replace_older(Database& db, const DueRow& due) {
    db.execute(
        fmt::format(
            "UPDATE outbox SET state = 'dead', message = 'replaced by version ' || ?3 "
            "WHERE state = 'pending' AND id IN (SELECT o.id {} AND r.version < ?3)",
            siblings),
        due.target,
        due.subject,
        due.version);
}

std::string file_word(const std::string& text) {
    std::string out;
    for (const char c : text.substr(0, 60)) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                           (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
        out += plain ? c : '_';
    }
    return out.empty() ? "_" : out;
}

/// How far the time of day is ahead of the ledger's steady time.
std::int64_t ahead_s(const Moment& now) {
    return now.now_s - now.steady_s;
}

/// What earlier versions of the same document came to at the same target.
struct Earlier {
    std::string external_ref;
    bool ambiguous = false;
    int filings = 0;
    std::int64_t filed_at_s = 0;
    bool closed = false;  ///< by the newest of them that was sent
    std::int64_t first_stored_s = 0;
};

Earlier load_earlier(Database& db, const DueRow& due) {
    Earlier earlier;
    Query row = db.query(
        fmt::format(
            "SELECT o.external_ref, o.ambiguous, o.filings, o.filed_at_s, o.closed, o.state, "
            "r.created_at_s {} AND r.version < ?3 ORDER BY r.version",
            siblings),
        due.target,
        due.subject,
        due.version);
    while (row.next()) {
        const auto ref = row.get<std::string>(0);
        if (!ref.empty()) earlier.external_ref = ref;
        earlier.ambiguous = earlier.ambiguous || row.get<bool>(1);
        earlier.filings += row.get<int>(2);
        earlier.filed_at_s = std::max(earlier.filed_at_s, row.get<std::int64_t>(3));
        if (row.get<OutboxState>(5) == OutboxState::sent) earlier.closed = row.get<bool>(4);
        if (earlier.first_stored_s == 0) earlier.first_stored_s = row.get<std::int64_t>(6);
    }
    return earlier;
}

/// Takes over into the row what earlier versions came to, and says what to send.
Envelope envelope_of(Database& db, DueRow& due, const Moment& now) {
    const Earlier earlier = load_earlier(db, due);
    Envelope envelope;
    envelope.target = due.target;
    envelope.title = due.title;
    envelope.body = due.body;
    bool closed = false;
    if (due.regression) {
        envelope.marker = load_marker(db, *due.regression);
        envelope.file_name =
            fmt::format("{}-regression-{}.md", file_word(due.project_name), due.regression->value);
        closed = due.state && !is_open(*due.state);
    } else if (due.trouble) {
        envelope.marker = load_marker(db, *due.trouble);
        envelope.file_name =
            fmt::format("{}-trouble-{}.md", file_word(due.project_name), due.trouble->value);
        closed = due.trouble_ended;
    } else {
        envelope.marker = load_marker(db, *due.nightly);
        envelope.file_name = fmt::format(
            "{}-night-{}-{}.md",
            file_word(due.project_name),
            file_word(due.day),
            due.nightly->value);
    }
    if (closed) envelope.state = IssueState::closed;
    if (!closed && earlier.closed) envelope.state = IssueState::open;
    if (due.row.external_ref.empty()) due.row.external_ref = earlier.external_ref;
    due.row.ambiguous = due.row.ambiguous || earlier.ambiguous;
    envelope.external_ref = due.row.external_ref;
    envelope.filings = earlier.filings + due.row.filings;
    envelope.filed_at_s = std::max(earlier.filed_at_s, due.row.filed_at_s) + ahead_s(now);
    envelope.first_stored_s = earlier.first_stored_s;
    if (envelope.first_stored_s == 0) {
        envelope.first_stored_s =
            db.find<std::int64_t>("SELECT created_at_s FROM report WHERE id = ?1", due.report)
                .value_or(0);
    }
    envelope.look_first =
        due.row.ambiguous && (envelope.external_ref.empty() || envelope.filings >= 2);
    return envelope;
}

void write_row(Database& db, std::int64_t outbox_id, const OutboxRow& row) {
    db.execute(
        "UPDATE outbox SET state = ?2, attempts = ?3, ambiguous = ?4, next_attempt_at_s = ?5, "
        "external_ref = ?6, message = ?7, in_flight = ?8, filings = ?9, filed_at_s = ?10 "
        "WHERE id = ?1",
        outbox_id,
        row.state,
        row.attempts,
        row.ambiguous,
        row.next_attempt_at_s,
        row.external_ref,
        row.message,
        row.in_flight,
        row.filings,
        row.filed_at_s);
}

constexpr int tries_before_trouble = 4;

/// A target that takes nothing is a trouble until something arrives there.
void judge_target(
    Database& db,
    const std::string& target,
    std::optional<ProjectId> project,
    const OutboxRow& row,
    const SendReply& reply,
    std::int64_t now_s) {
    static constexpr std::string_view kind = "report.undelivered";
    const std::string subject = "target/" + target;
    if (row.state == OutboxState::sent) {
        end_trouble(db, kind, subject, now_s);
        return;
    }
    const bool waits = reply.outcome == SendOutcome::wait || row.attempts < tries_before_trouble;
    if (row.state == OutboxState::pending && waits) return;
    Trouble trouble;
    trouble.kind = kind;
    trouble.subject = subject;
    trouble.project = project;
    trouble.message = fmt::format(
        "reports do not get to {}: {}; `vigil report retry` sends again what was given up",
        target,
        row.message);
    note_trouble(db, trouble, now_s);
}

/// What is known to be at the target once is not doubted for the next version.
void end_doubt(Database& db, std::int64_t outbox_id) {
    db.execute(
        "UPDATE outbox SET ambiguous = 0 WHERE ambiguous AND state <> 'pending' AND id IN "
        "(SELECT o.id FROM outbox o JOIN report r ON r.id = o.report_id "
        "JOIN outbox me ON me.id = ?1 JOIN report mine ON mine.id = me.report_id "
        "WHERE o.target = me.target AND r.subject = mine.subject AND r.version < mine.version)",
        outbox_id);
}

}  // namespace

std::vector<DueDelivery> take_due(Database& db, const Config& config, const Moment& now) {
    std::vector<DueDelivery> taken;
    for (const auto& target : list_due_targets(db, now.steady_s)) {
        const auto known = config.report_targets.find(target);
        if (known == config.report_targets.end()) {
            db.execute(
                "UPDATE outbox SET state = 'dead', message = 'the config no longer has the target "
                "' || target WHERE state = 'pending' AND target = ?1",
                target);
            continue;
        }
        auto due = find_due(db, target, now.steady_s);
        if (!due) continue;
        DueDelivery delivery;
        delivery.outbox_id = due->outbox_id;
        delivery.pace = pace_of(known->second);
        if (!delivery.pace.empty() && !begin_write(db, delivery.pace, now.steady_ms)) continue;
        const auto trouble = try_alone(db, [&] {
            delivery.envelope = envelope_of(db, *due, now);
            delivery.begun = begin_attempt(due->row, now.steady_s);
            replace_older(db, *due);
            write_row(db, due->outbox_id, delivery.begun);
        });
        if (!trouble) {
            taken.push_back(std::move(delivery));
            continue;
        }
        end_as_dead(db, due->outbox_id, *trouble);
        if (!delivery.pace.empty()) end_write(db, delivery.pace, false, now.steady_ms);
    }
    return taken;
}

void finish_delivery(
    Database& db, const DueDelivery& delivery, const SendReply& reply, const Moment& now) {
    SendReply steady = reply;  // receivers tell the time of day
    if (steady.not_before_s) *steady.not_before_s -= ahead_s(now);
    const OutboxRow row = end_attempt(delivery.begun, steady, now.steady_s);
    // A version that was stored while this one was on its way waits for its turn; this row is ours.
    write_row(db, delivery.outbox_id, row);
    if (!delivery.pace.empty()) {
        end_write(db, delivery.pace, reply.wrote, now.steady_ms);
        if (reply.quiet_until_s) {
            keep_quiet(db, delivery.pace, *reply.quiet_until_s - ahead_s(now));
        }
    }
    const auto report =
        db.find<ReportId>("SELECT report_id FROM outbox WHERE id = ?1", delivery.outbox_id);
    if (!report) return;
    const auto project = db.find<ProjectId>("SELECT project_id FROM report WHERE id = ?1", *report);
    judge_target(db, delivery.envelope.target, project, row, reply, now.now_s);
    if (row.state == OutboxState::pending) return;
    const bool sent = row.state == OutboxState::sent;
    if (sent) {
        db.execute(
            "UPDATE outbox SET closed = ?2 WHERE id = ?1",
            delivery.outbox_id,
            delivery.envelope.state == IssueState::closed);
        end_doubt(db, delivery.outbox_id);
    }
    record_event(
        db,
        now.now_s,
        sent ? "report.sent" : "report.given_up",
        project,
        "report/" + to_string(*report),
        sent ? "to " + delivery.envelope.target + ": " + row.external_ref
             : "to " + delivery.envelope.target + ": " + row.message);
}

std::vector<std::string> retry_given_up(Database& db, ReportId report, const Moment& now) {
    std::vector<std::pair<std::int64_t, std::string>> dead;
    {
        Query row = db.query(
            "SELECT o.id, o.target FROM outbox o JOIN report r ON r.id = o.report_id "
            "WHERE r.id = ?1 AND o.state = 'dead' AND NOT EXISTS (SELECT 1 FROM outbox later "
            "JOIN report n ON n.id = later.report_id WHERE later.target = o.target "
            "AND n.version > r.version AND n.subject = r.subject) ORDER BY o.id",
            report);
        while (row.next()) {
            dead.emplace_back(row.get<std::int64_t>(0), row.get<std::string>(1));
        }
    }
    std::vector<std::string> targets;
    for (const auto& [id, target] : dead) {
        db.execute(
            "UPDATE outbox SET state = 'pending', ambiguous = ambiguous OR attempts > 0, "
            "attempts = 0, next_attempt_at_s = ?2, message = '' WHERE id = ?1",
            id,
            now.steady_s);
        record_event(
            db,
            now.now_s,
            "report.retried",
            db.find<ProjectId>("SELECT project_id FROM report WHERE id = ?1", report),
            "report/" + to_string(report),
            "to " + target);
        targets.push_back(target);
    }
    return targets;
}

int resume_outbox(Database& db, const Moment& now) {
    resume_writes(db, now.steady_ms);
    std::vector<std::pair<std::int64_t, OutboxRow>> begun;
    {
        Query row = db.query(
            "SELECT id, attempts, ambiguous, external_ref, message, filings, filed_at_s "
            "FROM outbox WHERE state = 'pending' AND in_flight");
        while (row.next()) {
            OutboxRow one;
            one.attempts = row.get<int>(1);
            one.ambiguous = row.get<bool>(2);
            one.external_ref = row.get<std::string>(3);
            one.message = row.get<std::string>(4);
            one.filings = row.get<int>(5);
            one.filed_at_s = row.get<std::int64_t>(6);
            begun.emplace_back(row.get<std::int64_t>(0), std::move(one));
        }
    }
    for (const auto& [id, row] : begun) write_row(db, id, resume_attempt(row, now.steady_s));
    return static_cast<int>(begun.size());
}

std::int64_t next_due_s(Database& db) {
    return db
        .find<std::int64_t>("SELECT min(next_attempt_at_s) FROM outbox WHERE state = 'pending'")
        .value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace vigil::service
