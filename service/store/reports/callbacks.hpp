#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "service/store/reports/outbox.hpp"

// The table `callback`: runs that are asked of who measures a project elsewhere, an attempt of a
// job each. Times are steady.

namespace vigil::service {

/// An attempt that has not been asked for yet, or in vain.
struct PendingCallback {
    JobId job;
    int attempt = 0;
    int tries = 0;  ///< sendings that began
};

/// It is to be asked for now.
void add_callback(Database& db, JobId job, int attempt, std::int64_t steady_s);

/// Of each project the one that is due and has waited longest; none where one is on its way
/// that nobody has answered.
std::vector<PendingCallback> list_due_callbacks(Database& db, std::int64_t steady_s);

/// Those whose sending began, and nobody saw the end.
std::vector<PendingCallback> list_cut_callbacks(Database& db);

struct CallbackState {
    OutboxState state = OutboxState::pending;
    int tries = 0;
    std::int64_t next_try_at_s = 0;
    std::string message = {};  ///< why it is not sent, one line
    bool in_flight = false;    ///< its sending began, and nobody saw the end yet
};
void write_callback(Database& db, const PendingCallback& callback, const CallbackState& state);

}  // namespace vigil::service
