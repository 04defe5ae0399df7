#include "service/report/deliver/notices.hpp"

#include "service/report/deliver/envelope_rows.hpp"
#include "service/report/deliver/tracker_pace.hpp"
#include "service/store/events.hpp"
#include "service/store/reports/tracker.hpp"

namespace vigil::service {

namespace {

constexpr int notices_at_once = 20;

const ReportTarget* target_of(const Config& config, const NoticeRow& row) {
    const auto found = config.report_targets.find(row.words.target);
    const bool known =
        found != config.report_targets.end() && found->second.kind == TargetKind::issues;
    return known ? &found->second : nullptr;
}

OutboxRow row_before(const NoticeRow& row) {
    OutboxRow before;
    before.attempts = row.attempts;
    before.ambiguous = row.ambiguous;
    before.external_ref = row.external_ref;
    return before;
}

}  // namespace

std::vector<DueNotice> take_due_notices(Database& db, const Config& config, const Moment& now) {
    std::vector<DueNotice> taken;
    for (auto& row : list_due_notices(db, now.steady_s, notices_at_once)) {
        auto before = row_before(row);
        const auto* target = target_of(config, row);
        if (target == nullptr) {
            before.state = OutboxState::dead;
            before.message = "the config no longer has the target " + row.words.target;
            write_notice(db, row.id, row.version, before);
            continue;
        }
        DueNotice due;
        due.target = *target;
        due.pace = pace_of(*target);
        if (!begin_write(db, due.pace, now.steady_ms)) continue;
        due.marker = load_notice_marker(db, row.id);
        due.begun = begin_attempt(before, now.steady_s);
        write_notice(db, row.id, row.version, due.begun);
        due.row = std::move(row);
        taken.push_back(std::move(due));
    }
    return taken;
}

void finish_notice(
    Database& db, const DueNotice& notice, const SendReply& came, const Moment& now) {
    SendReply reply = came;
    if (reply.not_before_s) *reply.not_before_s -= ahead_s(now);
    end_write(db, notice.pace, reply.wrote, now.steady_ms);
    if (reply.quiet_until_s) note_quiet(db, notice.pace, *reply.quiet_until_s - ahead_s(now));
    const auto row = end_attempt(notice.begun, reply, now.steady_s);
    write_notice(db, notice.row.id, notice.row.version, row);
    if (row.state == OutboxState::pending) return;
    const bool arrived = row.state == OutboxState::sent;
    const auto& words = notice.row.words;
    record_event(
        db,
        now.now_s,
        arrived ? "notice.sent" : "notice.given_up",
        std::nullopt,
        "notice/" + std::to_string(notice.row.id),
        words.place + " to " + words.target + (arrived ? "" : ": " + row.message));
}

}  // namespace vigil::service
