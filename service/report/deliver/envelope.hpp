#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "service/report/deliver/outbox.hpp"

// What waits in the outbox, and the envelope that it becomes.

namespace vigil::service {

/// A message with the report that it carries.
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
    std::string night;  ///< its name
    std::string title;
    std::string body;
    int version = 0;
    std::optional<RegressionState> state;
};

/// Targets with a message that is due, the longest waiting first.
std::vector<std::string> list_due_targets(Database& db, std::int64_t steady_s);

/// The message whose turn it is at `target`. Of a report only the newest version has one; the newer
/// one takes the older along. A row that cannot be read ends as dead, so that the others go on.
std::optional<DueRow> find_due(Database& db, const std::string& target, std::int64_t steady_s);

/// Older versions of the same report that still wait for the same target end as dead.
void replace_older(Database& db, const DueRow& due);

/// Takes over into the row what earlier versions came to, and says what to send.
Envelope envelope_of(Database& db, DueRow& due, const Moment& now);

void end_as_dead(Database& db, std::int64_t outbox_id, const std::string& why);

/// How far the time of day is ahead of the ledger's steady time.
inline std::int64_t ahead_s(const Moment& now) {
    return now.now_s - now.steady_s;
}

}  // namespace vigil::service
