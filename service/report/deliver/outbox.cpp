#include "service/report/deliver/outbox.hpp"

#include <limits>
#include <optional>

#include <fmt/format.h>

#include "service/report/deliver/envelope.hpp"
#include "service/report/deliver/tracker_pace.hpp"
#include "service/store/alone.hpp"
#include "service/store/database.hpp"
#include "service/store/events.hpp"
#include "service/store/reports/tracker.hpp"
#include "service/store/troubles.hpp"

namespace vigil::service {

namespace {

void write_row(Database& db, std::int64_t outbox_id, const OutboxRow& row) {
    db.execute(
        "UPDATE outbox SET state = ?2, attempts = ?3, ambiguous = ?4, next_attempt_at_s = ?5, "
        "external_ref = ?6, message = ?7, in_flight = ?8, filings = ?9, filed_at_s = ?10, "
        "in_vain = ?11 WHERE id = ?1",
        outbox_id,
        row.state,
        row.attempts,
        row.ambiguous,
        row.next_attempt_at_s,
        row.external_ref,
        row.message,
        row.in_flight,
        row.filings,
        row.filed_at_s,
        row.in_vain);
}

constexpr int tries_before_trouble = 4;
constexpr std::int64_t lately_s = 15 * 60;

bool took_something_lately(Database& db, const std::string& target, std::int64_t steady_s) {
    const auto last_s = db.find<std::int64_t>(  // of what is sent: when it was
        "SELECT max(next_attempt_at_s) FROM outbox WHERE target = ?1 AND state = 'sent'",
        target);
    return last_s && *last_s > steady_s - lately_s;
}

/// A target that takes nothing is a trouble until something arrives there.
void judge_target(
    Database& db,
    const std::string& target,
    std::optional<ProjectId> project,
    const OutboxRow& row,
    const SendReply& reply,
    const Moment& now) {
    static constexpr std::string_view kind = "report.undelivered";
    const std::string subject = "target/" + target;
    if (row.state == OutboxState::sent) {
        end_trouble(db, kind, subject, now.now_s);
        return;
    }
    const bool waits = reply.outcome == SendOutcome::wait || row.attempts < tries_before_trouble;
    if (row.state == OutboxState::pending &&
        (waits || took_something_lately(db, target, now.steady_s))) {
        return;
    }
    Trouble trouble;
    trouble.kind = kind;
    trouble.subject = subject;
    trouble.project = project;
    trouble.message = fmt::format(
        "reports do not get to {}: {}; `vigil report retry` sends again what was given up",
        target,
        row.message);
    note_trouble(db, trouble, now.now_s);
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
            note_quiet(db, delivery.pace, *reply.quiet_until_s - ahead_s(now));
        }
    }
    const auto report =
        db.find<ReportId>("SELECT report_id FROM outbox WHERE id = ?1", delivery.outbox_id);
    if (!report) return;
    const auto project = db.find<ProjectId>("SELECT project_id FROM report WHERE id = ?1", *report);
    judge_target(db, delivery.envelope.target, project, row, reply, now);
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
            "attempts = 0, in_vain = 0, next_attempt_at_s = ?2, message = '' WHERE id = ?1",
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
    end_all_open_writes(db, now.steady_ms);
    std::vector<std::pair<std::int64_t, OutboxRow>> begun;
    {
        Query row = db.query(
            "SELECT id, attempts, ambiguous, external_ref, message, filings, filed_at_s, in_vain "
            "FROM outbox WHERE state = 'pending' AND in_flight");
        while (row.next()) {
            OutboxRow one;
            one.attempts = row.get<int>(1);
            one.ambiguous = row.get<bool>(2);
            one.external_ref = row.get<std::string>(3);
            one.message = row.get<std::string>(4);
            one.filings = row.get<int>(5);
            one.filed_at_s = row.get<std::int64_t>(6);
            one.in_vain = row.get<int>(7);
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
