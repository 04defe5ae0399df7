#include "service/report/outbox.hpp"

#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "service/report/regression_facts.hpp"
#include "service/report/render_night.hpp"
#include "service/report/render_trouble.hpp"
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
    ProjectId project;
    std::string project_name;
    std::string day;
    std::string title;
    std::string body;
    int version = 0;
    std::optional<RegressionState> state;
    std::string unreadable;  ///< why the row cannot be read; then only its id is
};

DueRow read_due(const Query& row) {
    DueRow one;
    one.target = row.get<std::string>(1);
    one.row.attempts = row.get<int>(2);
    one.row.ambiguous = row.get<bool>(3);
    one.row.next_attempt_at_s = row.get<std::int64_t>(4);
    one.row.external_ref = row.get<std::string>(5);
    one.row.message = row.get<std::string>(6);
    one.report = row.get<ReportId>(7);
    one.regression = row.get<std::optional<RegressionId>>(8);
    one.nightly = row.get<std::optional<NightlyId>>(9);
    one.project = row.get<ProjectId>(10);
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

std::vector<DueRow> list_due(Database& db, std::int64_t steady_s) {
    static constexpr int limit = 500;
    std::vector<DueRow> due;
    Query row = db.query(
        "SELECT o.id, o.target, o.attempts, o.ambiguous, o.next_attempt_at_s, o.external_ref, "
        "o.message, r.id, r.regression_id, r.nightly_id, r.project_id, p.name, n.day, r.title, "
        "r.body, r.version, g.state, r.trouble_id, r.subject, t.ended_s IS NOT NULL FROM outbox o "
        "JOIN report r ON r.id = o.report_id "
        "JOIN project p ON p.id = r.project_id LEFT JOIN nightly n ON n.id = r.nightly_id "
        "LEFT JOIN regression g ON g.id = r.regression_id "
        "LEFT JOIN trouble t ON t.id = r.trouble_id "
        "WHERE o.state = 'pending' AND o.next_attempt_at_s <= ?1 ORDER BY o.id LIMIT ?2",
        steady_s,
        limit);
    while (row.next()) {
        DueRow one;
        try {
            one = read_due(row);
        } catch (const Error& error) {
            one.unreadable = error.what();
        }
        one.outbox_id = row.get<std::int64_t>(0);
        due.push_back(std::move(one));
    }
    return due;
}

/// The other versions of the same document that went, or go, to the same target.
constexpr std::string_view siblings =
    "FROM outbox o JOIN report r ON r.id = o.report_id WHERE o.target = ?1 AND r.subject = ?2 ";

bool has_newer(Database& db, const DueRow& due) {
    return db
        .find<int>(
            fmt::format("SELECT 1 {} AND r.version > ?3 LIMIT 1", siblings),
            due.target,
            due.subject,
            due.version)
        .has_value();
}

void end_as_dead(Database& db, std::int64_t outbox_id, const std::string& why) {
    db.execute("UPDATE outbox SET state = 'dead', message = ?2 WHERE id = ?1", outbox_id, why);
}

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

Envelope envelope_of(Database& db, const DueRow& due) {
    Envelope envelope;
    envelope.target = due.target;
    envelope.title = due.title;
    envelope.body = due.body;
    const std::string instance = instance_of(db);
    if (due.regression) {
        envelope.marker = regression_marker(instance, *due.regression);
        envelope.file_name =
            fmt::format("{}-regression-{}.md", file_word(due.project_name), due.regression->value);
        envelope.closed = due.state && !is_open(*due.state);
    } else if (due.trouble) {
        envelope.marker = trouble_marker(instance, *due.trouble);
        envelope.file_name =
            fmt::format("{}-trouble-{}.md", file_word(due.project_name), due.trouble->value);
        envelope.closed = due.trouble_ended;
    } else {
        envelope.marker = night_marker(instance, *due.nightly);
        envelope.file_name = fmt::format(
            "{}-night-{}-{}.md",
            file_word(due.project_name),
            file_word(due.day),
            due.nightly->value);
    }
    envelope.external_ref = db.find<std::string>(
                                  fmt::format(
                                      "SELECT o.external_ref {} AND o.external_ref <> '' ORDER BY "
                                      "r.version DESC LIMIT 1",
                                      siblings),
                                  due.target,
                                  due.subject)
                                .value_or("");
    const bool tried_before = db.find<int>(
                                    fmt::format(
                                        "SELECT 1 {} AND r.version < ?3 AND (o.attempts > 0 OR "
                                        "o.ambiguous) LIMIT 1",
                                        siblings),
                                    due.target,
                                    due.subject,
                                    due.version)
                                  .has_value();
    envelope.look_first = envelope.external_ref.empty() && (due.row.ambiguous || tried_before);
    return envelope;
}

void write_row(Database& db, std::int64_t outbox_id, const OutboxRow& row) {
    db.execute(
        "UPDATE outbox SET state = ?2, attempts = ?3, ambiguous = ?4, next_attempt_at_s = ?5, "
        "external_ref = ?6, message = ?7 WHERE id = ?1",
        outbox_id,
        row.state,
        row.attempts,
        row.ambiguous,
        row.next_attempt_at_s,
        row.external_ref,
        row.message);
}

// What a target does not take is told once, until it takes something again.
void note_delivery(
    Database& db,
    const DueDelivery& delivery,
    ReportId report,
    std::optional<ProjectId> project,
    const OutboxRow& row,
    std::int64_t now_s) {
    const auto& target = delivery.envelope.target;
    const Trouble trouble{
        .kind = "report.undelivered",
        .subject = "target/" + target,
        .project = project,
        .message = fmt::format(
            "report {} did not arrive at {} and was given up: {}; mend that, then `vigil report "
            "retry {}` sends it again",
            to_string(report),
            target,
            row.message,
            to_string(report))};
    row.state == OutboxState::sent ? end_trouble(db, trouble.kind, trouble.subject, now_s)
                                   : note_trouble(db, trouble, now_s);
}

}  // namespace

std::vector<DueDelivery> take_due(Database& db, const Config& config, std::int64_t steady_s) {
    std::vector<DueDelivery> taken;
    std::set<std::string> busy;
    for (const auto& due : list_due(db, steady_s)) {
        if (!due.unreadable.empty()) {
            end_as_dead(db, due.outbox_id, due.unreadable);
            continue;
        }
        if (!config.report_targets.contains(due.target)) {
            end_as_dead(db, due.outbox_id, "the config no longer has the target " + due.target);
            continue;
        }
        if (has_newer(db, due)) continue;  // the newer one takes this one along
        if (!busy.insert(due.target).second) continue;
        DueDelivery delivery;
        delivery.outbox_id = due.outbox_id;
        const auto trouble = try_alone(db, [&] {
            delivery.envelope = envelope_of(db, due);
            delivery.begun = begin_attempt(due.row, steady_s);
            replace_older(db, due);
            write_row(db, due.outbox_id, delivery.begun);
        });
        if (trouble) {
            end_as_dead(db, due.outbox_id, *trouble);
        } else {
            taken.push_back(std::move(delivery));
        }
    }
    return taken;
}

void finish_delivery(
    Database& db, const DueDelivery& delivery, const SendReply& reply, const Moment& now) {
    SendReply steady = reply;  // receivers tell the time of day
    if (steady.not_before_s) *steady.not_before_s += now.steady_s - now.now_s;
    const OutboxRow row = end_attempt(delivery.begun, steady, now.steady_s);
    // A version that was stored while this one was on its way waits for its turn; this row is ours.
    write_row(db, delivery.outbox_id, row);
    if (row.state == OutboxState::pending) return;
    const bool sent = row.state == OutboxState::sent;
    const auto report =
        db.find<ReportId>("SELECT report_id FROM outbox WHERE id = ?1", delivery.outbox_id);
    if (!report) return;
    const auto project = db.find<ProjectId>("SELECT project_id FROM report WHERE id = ?1", *report);
    note_delivery(db, delivery, *report, project, row, now.now_s);
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

int resume_outbox(Database& db, std::int64_t steady_s) {
    return static_cast<int>(db.execute(
        "UPDATE outbox SET next_attempt_at_s = ?1 WHERE state = 'pending' AND ambiguous "
        "AND next_attempt_at_s > ?1",
        steady_s));
}

std::int64_t next_due_s(Database& db) {
    return db
        .find<std::int64_t>("SELECT min(next_attempt_at_s) FROM outbox WHERE state = 'pending'")
        .value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace vigil::service
