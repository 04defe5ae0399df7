#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "service/config/config.hpp"
#include "service/report/send/attempt_rules.hpp"
#include "service/watch/requested/pulls.hpp"

namespace vigil::service {

class TrackerSession;

/// What is asked of a GitHub-compatible API before a comment is acted on. Used on its lane
/// only; calls may block for half a minute. Nothing here throws for what a network or a server
/// does: the reply says it.
class GithubThread {
  public:
    explicit GithubThread(TrackerSession& session) : session_(session) {}

    struct Permission {
        SendReply reply;         ///< `sent`: the answer is known
        bool may_write = false;  ///< to the repository
    };
    /// Whether a login may write to the target's repository. An answer counts for five minutes.
    /// @param now_s  UTC
    Permission ask_permission(
        const ReportTarget& target, const std::string& login, std::int64_t now_s);

    struct Pull {
        SendReply reply;                 ///< `sent`: the answer is known
        std::optional<PullFacts> facts;  ///< nullopt: there is none that the token may see
    };
    /// What a pull request is like now. @param now_s  UTC
    Pull ask_pull(const ReportTarget& target, std::int64_t number, std::int64_t now_s);

  private:
    struct Known {
        bool may_write = false;
        std::int64_t until_s = 0;
    };
    TrackerSession& session_;
    std::map<std::string, Known> known_;  ///< by target and login
};

}  // namespace vigil::service
