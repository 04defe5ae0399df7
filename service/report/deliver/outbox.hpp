#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "service/config/config.hpp"
#include "service/report/send/envelope.hpp"
#include "service/runtime/clock.hpp"
#include "service/store/reports/tracker.hpp"

// The outbox's rows: taken before anything is sent, ended after. Rows are in steady time; envelopes
// and replies, which meet receivers' words, in the time of day.

namespace vigil::service {

class Database;

/// A message that goes with another one.
struct Rider {
    std::int64_t outbox_id = 0;
    ReportId report;
    ProjectId project;
    OutboxRow begun;
    IssueState state = IssueState::as_it_is;
};

struct DueDelivery {
    std::int64_t outbox_id = 0;
    ReportId report;
    ProjectId project;
    OpenWrite write;
    OutboxRow begun;
    Envelope envelope;
    std::vector<Rider> riders = {};  ///< they come to what it comes to
};

/// Takes messages that are due, at most one for each target and for each tracker's host, and marks
/// them as begun, in the caller's transaction. A host whose pace allows no write now gives none.
/// Only the newest version of a report is sent: older ones still pending end
/// as dead ("replaced"). Messages to a target that the config no longer has end as dead. While the
/// config holds reports none is taken, which is the trouble "report.held".
/// Commit before sending anything.
std::vector<DueDelivery> take_due(Database& db, const Config& config, const Moment& now);

/// Records what came of it, with an event when it is sent or given up, and a trouble for as long as
/// its target takes nothing. @param now  after the attempt
void finish_delivery(
    Database& db, const DueDelivery& delivery, const SendReply& reply, const Moment& now);

/// Messages of a report that were given up become due again, looked for first where they may have
/// arrived; not those that a newer version of the report replaced.
/// @param only  of them this one alone
/// @return  names of their targets
std::vector<std::string> retry_given_up(
    Database& db,
    ReportId report,
    const Moment& now,
    std::optional<std::int64_t> only = std::nullopt);

/// Called once at start: what was on its way when the daemon ended is due now, and looked for
/// first. @return  how many
int resume_outbox(Database& db, const Moment& now);

}  // namespace vigil::service
