#pragma once

#include <optional>
#include <string>
#include <vector>

#include "service/config/config.hpp"
#include "service/report/send/github_thread.hpp"
#include "service/runtime/clock.hpp"
#include "service/store/reports/commands.hpp"
#include "service/store/reports/tracker.hpp"

// Commands of people in the thread of an issue or a pull request: who asks is looked up, then it is
// decided, and the answer is a notice. A question changes nothing, so after a kill it is asked
// again. Rows are in steady time.

namespace vigil::service {

/// A command on its way: its author is asked about.
struct DueCommand {
    CommandRow row;
    ReportTarget target;
    OutboxRow begun;
    OpenWrite write;
};

/// Takes what is due, at most one for each tracker's host, and marks it as begun, in the caller's
/// transaction. Commit before anything is sent.
std::vector<DueCommand> take_due_commands(Database& db, const Config& config, const Moment& now);

/// What came of it: who asks, and about which pull request.
struct CommandReply {
    SendReply reply;
    bool may_write = false;
    std::optional<PullFacts> pull = {};
};
/// Asks, on its receiver's lane. @param now_s  UTC
CommandReply ask_about(GithubThread& thread, const DueCommand& command, std::int64_t now_s);

/// Decides and answers, once it is known who asks, with the event "command.answered"; or gives up,
/// with "command.given_up". To whoever may not write to the repository nothing is said but the
/// event "command.refused". @param now  after the attempt
void finish_command(
    Database& db,
    const Config& config,
    const DueCommand& command,
    const CommandReply& came,
    const Moment& now);

}  // namespace vigil::service
