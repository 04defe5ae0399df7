#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "service/config/config.hpp"
#include "service/report/send/attempt_rules.hpp"
#include "service/runtime/clock.hpp"
#include "service/store/reports/callbacks.hpp"

// Runs that are asked of who measures a project elsewhere. To the queue they are a worker: a job is
// under lease to it before anything is sent, a late answer loses the lease, and an answer names its
// attempt. Every function runs in the caller's transaction on the writer.

namespace vigil::service {

/// A question on its way.
struct DueCallback {
    PendingCallback row;
    ProjectId project;
    CallbackConfig to;
    std::string receiver;  ///< name and port of its server: it has a lane and a circuit
    std::string body;      ///< JSON, see docs/import.md
};

/// Gives what waits for machines elsewhere to them, under lease for as long as they may take.
/// @return  how many jobs
int lease_external(Database& db, const Config& config, const Moment& now);

/// Takes the questions that are due, at most one for each project, and marks them as begun; none of
/// a receiver whose circuit holds them back. What nobody waits for any more ends. Commit before
/// sending anything.
std::vector<DueCallback> take_due_callbacks(Database& db, const Config& config, const Moment& now);

/// Called once at start: what was on its way when the daemon ended is asked again at once; who
/// measures answers the same attempt twice at most, and the second answer changes nothing.
/// @return  how many
int resume_callbacks(Database& db, const Moment& now);

/// Records what came of one. One that is refused, or failed too often, loses its lease: the job is
/// asked for again, or given up.
void finish_callback(
    Database& db,
    const Config& config,
    const DueCallback& callback,
    const SendReply& reply,
    const Moment& now);

}  // namespace vigil::service
