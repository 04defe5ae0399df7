#include "service/report/deliver/outbox.hpp"

#include <fmt/format.h>

#include "service/config/links.hpp"
#include "service/report/deliver/envelope_rows.hpp"
#include "service/report/deliver/night_check.hpp"
#include "service/report/deliver/tracker_pace.hpp"
#include "service/report/deliver/turns.hpp"
#include "service/report/facts/requested.hpp"
#include "service/store/alone.hpp"
#include "service/store/events.hpp"
#include "service/store/troubles.hpp"

namespace vigil::service {

namespace {

constexpr int tries_before_trouble = 4;
constexpr std::int64_t lately_s = 15 * 60;
constexpr int most_riders = 50;

bool took_something_lately(Database& db, const std::string& target, std::int64_t steady_s) {
    const auto last_s = find_last_sent_s(db, target);
    return last_s && *last_s > steady_s - lately_s;
}

/// A target that takes nothing is a trouble until something arrives there.
void judge_target(
    Database& db,
    const DueDelivery& delivery,
    const OutboxRow& row,
    const SendReply& reply,
    const Moment& now) {
    if (is_open(find_circuit(db, delivery.write.receiver))) return;  // its own words stand there
    const auto kind = undelivered_kind;
    const std::string& target = delivery.envelope.target;
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
    trouble.project = delivery.project;
    trouble.message = fmt::format(
        "reports do not get to {}: {}; `vigil report retry` sends again what was given up",
        target,
        row.message);
    note_trouble(db, trouble, now.now_s);
}

std::vector<std::string> assignees_of(
    Database& db, const ReportTarget& target, const ReportSubject& subject) {
    if (target.kind != TargetKind::issues || !subject.regression) return {};
    auto login = login_to_ask(target, load_requested(db, *subject.regression));
    if (login.empty()) return {};
    return {std::move(login)};
}

/// Its page.
std::string address_of(const Config& config, const DueRow& due) {
    const auto links = links_of(config, due.project_name);
    if (due.subject.regression) return regression_url(links, *due.subject.regression);
    return due.subject.nightly ? nightly_url(links, *due.subject.nightly) : "";
}

/// What waits for a target that collects goes with the message at hand.
void collect(
    Database& db,
    const Config& config,
    const ReportTarget& target,
    DueDelivery& delivery,
    const Moment& now) {
    for (const auto id : list_waiting_beside(db, delivery.outbox_id, most_riders)) {
        auto due = load_due(db, id);
        if (is_urgent(target, due.told)) continue;
        auto envelope = envelope_of(db, due, now);
        envelope.about.url = address_of(config, due);
        Rider rider{id, due.report, due.subject.project, {}, envelope.state};
        rider.begun = begin_attempt(due.row, now.steady_s);
        replace_older(db, due);
        write_outbox(db, id, rider.begun);
        delivery.riders.push_back(std::move(rider));
        delivery.envelope.more.push_back(
            {std::move(envelope.title), std::move(envelope.body), std::move(envelope.about)});
    }
}

/// Fills the delivery and marks its row as begun. @return  false: its turn comes later
bool begin(
    Database& db,
    const Config& config,
    const ReportTarget& target,
    DueDelivery& delivery,
    const Moment& now) {
    auto due = load_due(db, delivery.outbox_id);
    const auto turn = turn_of(db, target, due, now);
    if (turn.wait_until_s) {
        replace_older(db, due);
        postpone(db, delivery.outbox_id, *turn.wait_until_s);
        return false;
    }
    delivery.report = due.report;
    delivery.project = due.subject.project;
    delivery.envelope = envelope_of(db, due, now);
    delivery.envelope.comment_below = turn.comment_below;
    if (target.checks && due.subject.nightly) {
        delivery.envelope.check = load_check(db, *due.subject.nightly, config);
    }
    delivery.envelope.about.url = address_of(config, due);
    delivery.envelope.assignees = assignees_of(db, target, due.subject);
    delivery.begun = begin_attempt(due.row, now.steady_s);
    replace_older(db, due);
    write_outbox(db, delivery.outbox_id, delivery.begun);
    if (target.collect_s > 0 && !is_urgent(target, due.told)) {
        collect(db, config, target, delivery, now);
    }
    return true;
}

/// The event of a message that is sent or given up.
void tell_end(
    Database& db,
    const Rider& message,
    const std::string& target,
    const OutboxRow& row,
    std::int64_t now_s) {
    if (row.state == OutboxState::pending) return;
    const bool sent = row.state == OutboxState::sent;
    if (sent) note_sent(db, message.outbox_id, message.state == IssueState::closed);
    const auto* kind = sent ? "report.sent" : "report.given_up";
    const auto words = "to " + target + ": " + (sent ? row.external_ref : row.message);
    const auto subject = "report/" + to_string(message.report);
    record_event(db, now_s, kind, message.project, subject, words);
}

constexpr std::string_view held = "report.held";

/// That nothing is sent must not be forgotten: it is a trouble for as long as it lasts.
void tell_held(Database& db, bool held_now, std::int64_t now_s) {
    if (held_now != list_troubles(db, held).empty()) return;
    Trouble trouble;
    trouble.kind = held;
    trouble.subject = "config";
    trouble.message =
        "hold_reports is true in the config: reports, comments and answers are written and kept, "
        "and nothing is sent; set it to false and reload, and what is newest is sent";
    set_trouble(db, trouble, held_now, now_s);
}

}  // namespace

std::vector<DueDelivery> take_due(Database& db, const Config& config, const Moment& now) {
    std::vector<DueDelivery> taken;
    tell_held(db, config.hold_reports, now.now_s);
    if (config.hold_reports) return taken;
    for (const auto& target : list_due_targets(db, now.steady_s)) {
        const auto known = config.report_targets.find(target);
        if (known == config.report_targets.end()) {
            end_all_as_dead(db, target, "the config no longer has the target " + target);
            continue;
        }
        const auto id = find_due(db, target, now.steady_s);
        if (!id) continue;
        const auto write = begin_write(db, known->second, TrackerShare::report, now.steady_ms);
        if (!write) continue;
        DueDelivery delivery;
        delivery.outbox_id = *id;
        delivery.write = *write;
        bool its_turn = false;
        const auto trouble =
            try_alone(db, [&] { its_turn = begin(db, config, known->second, delivery, now); });
        if (!trouble && its_turn) {
            taken.push_back(std::move(delivery));
            continue;
        }
        if (trouble) end_as_dead(db, *id, *trouble);
        cancel_write(db, *write);
    }
    return taken;
}

void finish_delivery(
    Database& db, const DueDelivery& delivery, const SendReply& reply, const Moment& now) {
    const auto row = end_paced_attempt(db, delivery.write, delivery.begun, reply, now);
    // A version that was stored while this one was on its way waits for its turn; this row is ours.
    write_outbox(db, delivery.outbox_id, row);
    judge_target(db, delivery, row, reply, now);
    const Rider own{
        delivery.outbox_id,
        delivery.report,
        delivery.project,
        delivery.begun,
        delivery.envelope.state};
    tell_end(db, own, delivery.envelope.target, row, now.now_s);
    for (const auto& rider : delivery.riders) {
        const auto ended = end_attempt(rider.begun, in_steady_time(reply, now), now.steady_s);
        write_outbox(db, rider.outbox_id, ended);
        tell_end(db, rider, delivery.envelope.target, ended, now.now_s);
    }
}

std::vector<std::string> retry_given_up(
    Database& db, ReportId report, const Moment& now, std::optional<std::int64_t> only) {
    std::vector<std::string> targets;
    for (const auto& [id, target] : list_given_up(db, report)) {
        if (only && *only != id) continue;
        revive(db, id, now.steady_s);
        const auto project = load_report_project(db, report);
        const auto subject = "report/" + to_string(report);
        record_event(db, now.now_s, "report.retried", project, subject, "to " + target);
        targets.push_back(target);
    }
    return targets;
}

int resume_outbox(Database& db, const Moment& now) {
    end_open_writes(db, now.steady_ms);
    const auto begun = list_in_flight(db);
    for (const auto& [id, row] : begun) write_outbox(db, id, resume_attempt(row, now.steady_s));
    return static_cast<int>(begun.size());
}

}  // namespace vigil::service
