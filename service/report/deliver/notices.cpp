#include "service/report/deliver/notices.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "service/report/deliver/envelope_rows.hpp"
#include "service/report/deliver/tracker_pace.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/troubles.hpp"

namespace vigil::service {

namespace {

constexpr int looks_at_once = 20;
constexpr std::string_view undelivered = "notice.undelivered";
constexpr std::string_view target_prefix = "target/";
constexpr std::int64_t waited_for_s = 30 * 86'400;  // older words help nobody

OutboxRow row_before(const NoticeRow& row) {
    OutboxRow before;
    before.attempts = row.attempts;
    before.ambiguous = row.ambiguous;
    before.external_ref = row.external_ref;
    before.filings = row.filings;
    before.filed_at_s = row.filed_at_s;
    return before;
}

TrackerShare share_of(const NoticeWords& words) {
    return is_answer(words) ? TrackerShare::answer : TrackerShare::check;
}

/// The first project whose reports go there: the trouble is told to it.
std::optional<ProjectId> first_project_of(
    Database& db, const Config& config, const std::string& target) {
    for (const auto& [name, project] : config.projects) {
        const auto& all = project.reports;
        if (std::find(all.begin(), all.end(), target) != all.end()) return find_project(db, name);
    }
    return std::nullopt;
}

std::string given_up_words(const GivenUpNotices& all, const std::string& target) {
    const auto newest = all.revision.empty()
                            ? fmt::format("the comment below {}", all.number)
                            : fmt::format("the check run of {}", all.revision.substr(0, 10));
    return fmt::format(
        "{} of the comments and check runs at {} {} given up, the newest is {}: {}; fix the cause, "
        "and `vigil notices retry` sends them again",
        all.count,
        target,
        all.count == 1 ? "was" : "were",
        newest,
        all.message);
}

}  // namespace

void judge_notices(
    Database& db, const Config& config, const std::string& target, std::int64_t now_s) {
    const auto given_up = find_given_up_notices(db, target);
    Trouble trouble;
    trouble.kind = undelivered;
    trouble.subject = std::string(target_prefix) + target;
    if (given_up) {
        trouble.project = first_project_of(db, config, target);
        trouble.message = given_up_words(*given_up, target);
    }
    set_trouble(db, trouble, given_up.has_value(), now_s);
}

void judge_undelivered_notices(Database& db, const Config& config, std::int64_t now_s) {
    const auto open = list_troubles(db, undelivered);
    if (open.empty()) return;
    drop_given_up_before(db, now_s - waited_for_s);
    for (const auto& one : open) {
        judge_notices(db, config, one.subject.substr(target_prefix.size()), now_s);
    }
}

bool retry_notice(Database& db, std::int64_t notice, const Moment& now) {
    if (!revive_notice(db, notice, now.steady_s)) return false;
    const auto subject = "notice/" + std::to_string(notice);
    record_event(db, now.now_s, "notice.retried", std::nullopt, subject, "a person asked for it");
    return true;
}

std::vector<DueNotice> take_due_notices(Database& db, const Config& config, const Moment& now) {
    std::vector<DueNotice> taken;
    if (config.hold_reports) return taken;
    for (auto& row : list_due_notices(db, now.steady_s)) {
        auto before = row_before(row);
        const auto* target = find_tracker(config, row.words.target);
        if (target == nullptr) {
            before.state = OutboxState::dead;
            before.message = "the config no longer has the target " + row.words.target;
            write_notice(db, row.id, row.version, before);
            note_given_up(db, row.id, row.version, false);
            continue;
        }
        DueNotice due;
        due.target = *target;
        const auto write = begin_write(db, *target, share_of(row.words), now.steady_ms);
        if (!write) continue;
        due.write = *write;
        due.marker = load_notice_marker(db, row.id);
        if (row.filings > 0) due.settled_at_s = row.filed_at_s + ahead_s(now) + settle_s;
        due.begun = begin_attempt(before, now.steady_s);
        write_notice(db, row.id, row.version, due.begun);
        due.row = std::move(row);
        taken.push_back(std::move(due));
    }
    return taken;
}

void finish_notice(
    Database& db,
    const Config& config,
    const DueNotice& notice,
    const SendReply& reply,
    const Moment& now) {
    const auto row = end_paced_attempt(db, notice.write, notice.begun, reply, now);
    write_notice(db, notice.row.id, notice.row.version, row);
    if (row.state == OutboxState::pending) return;
    const bool arrived = row.state == OutboxState::sent;
    const auto& words = notice.row.words;
    note_given_up(db, notice.row.id, notice.row.version, !arrived && !reply.unwanted);
    judge_notices(db, config, words.target, now.now_s);
    const bool is_new = arrived && notice.row.external_ref.empty();
    if (is_new && row.filings >= 2) note_look(db, notice.row.id, now.steady_s + twin_check_s);
    record_event(
        db,
        now.now_s,
        arrived ? "notice.sent" : "notice.given_up",
        std::nullopt,
        "notice/" + std::to_string(notice.row.id),
        words.place + " to " + words.target + (arrived ? "" : ": " + row.message));
}

std::vector<DueNotice> take_due_twins(Database& db, const Config& config, const Moment& now) {
    std::vector<DueNotice> taken;
    if (config.hold_reports) return taken;
    for (auto& row : list_notices_to_look_at(db, now.steady_s, looks_at_once)) {
        const auto* target = find_tracker(config, row.words.target);
        if (target == nullptr || row.external_ref.empty()) {
            note_look(db, row.id, std::nullopt);
            continue;
        }
        DueNotice due;
        due.target = *target;
        const auto write = begin_write(db, *target, share_of(row.words), now.steady_ms);
        if (!write) continue;
        due.write = *write;
        due.marker = load_notice_marker(db, row.id);
        due.row = std::move(row);
        taken.push_back(std::move(due));
    }
    return taken;
}

void finish_twin(Database& db, const DueNotice& notice, const SendReply& reply, const Moment& now) {
    const auto id = notice.row.id;
    end_paced_write(db, notice.write, reply, now);
    if (reply.outcome == SendOutcome::sent) {
        note_look(db, id, std::nullopt);
        if (reply.external_ref != notice.row.external_ref) adopt(db, id, reply.external_ref);
        return;
    }
    const bool removed = reply.outcome == SendOutcome::wait && reply.wrote;
    const auto again_s = now.steady_s + (removed ? 1 : default_wait_s);
    const bool goes_on = now.steady_s < notice.row.filed_at_s + twin_limit_s;
    note_look(db, id, goes_on ? std::optional(again_s) : std::nullopt);
    if (!removed) return;
    record_event(
        db,
        now.now_s,
        "notice.twin_ended",
        std::nullopt,
        "notice/" + std::to_string(id),
        notice.row.words.place + " was there twice; the other one is removed");
}

}  // namespace vigil::service
