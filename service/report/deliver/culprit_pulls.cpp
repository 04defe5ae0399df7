#include "service/report/deliver/culprit_pulls.hpp"

#include <fmt/format.h>

#include "service/report/deliver/envelope_rows.hpp"
#include "service/report/deliver/tracker_pace.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

namespace {

constexpr int culprits_at_once = 20;

void tell_culprit(
    Database& db,
    const RequestedCulprit& row,
    const CommitPull& came,
    const std::string& why,
    std::int64_t now_s) {
    const auto words =
        came.number ? fmt::format("{} came by pull request {}", row.revision.brief(), *came.number)
                    : fmt::format(
                          "{} came by no pull request that {} knows{}{}",
                          row.revision.brief(),
                          row.target,
                          why.empty() ? "" : ": ",
                          why);
    record_event(
        db,
        now_s,
        came.number ? "culprit.pull" : "culprit.no_pull",
        std::nullopt,
        "regression/" + to_string(row.regression),
        words);
}

}  // namespace

std::vector<DueCulprit> take_due_culprits(Database& db, const Config& config, const Moment& now) {
    std::vector<DueCulprit> taken;
    if (config.hold_reports) return taken;
    for (auto& row : list_requested_culprits(db, now.steady_s, culprits_at_once)) {
        const auto target = config.report_targets.find(row.target);
        if (target == config.report_targets.end() || !target->second.culprit_comments) {
            forget_culprit(db, row.id);  // it is asked for once somebody wants it again
            continue;
        }
        DueCulprit due;
        due.target = target->second;
        const auto write = begin_write(db, due.target, TrackerShare::question, now.steady_ms);
        if (!write) continue;
        due.write = *write;
        OutboxRow before;
        before.attempts = row.attempts;
        due.begun = begin_attempt(before, now.steady_s);
        write_requested_culprit(db, row.id, due.begun);
        due.row = std::move(row);
        taken.push_back(std::move(due));
    }
    return taken;
}

void finish_culprit(
    Database& db, const DueCulprit& culprit, const CommitPull& came, const Moment& now) {
    SendReply reply = came.reply;
    reply.wrote = true;
    const auto row = end_paced_attempt(db, culprit.write, culprit.begun, reply, now);
    write_requested_culprit(db, culprit.row.id, row);
    if (row.state == OutboxState::pending) return;
    if (row.state == OutboxState::sent) note_culprit_pull(db, culprit.row.id, came.number);
    tell_culprit(db, culprit.row, came, row.message, now.now_s);
}

}  // namespace vigil::service
