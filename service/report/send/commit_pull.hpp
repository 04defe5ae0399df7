#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "schema/model/text_ids.hpp"
#include "service/config/config.hpp"
#include "service/report/send/attempt_rules.hpp"

namespace vigil::service {

class TrackerSession;

/// Of the pull requests that GitHub knows of a commit, the one that brought it: merged into this
/// very repository; of several the one that the commit is the merge of, else the first that was
/// merged. A pure function. @param all  GitHub's list @param repository  owner/name
/// @param repository_id  GitHub's, of a repository that has another name now
std::optional<std::int64_t> pull_that_brought(
    const nlohmann::json& all,
    const Revision& commit,
    const std::string& repository,
    std::optional<std::int64_t> repository_id = std::nullopt);

struct CommitPull {
    SendReply reply;                     ///< `sent`: the answer is known
    std::optional<std::int64_t> number;  ///< nullopt: it came by none
};
/// Asks which pull request brought a commit. Blocks; nothing is thrown for what a network or a
/// server does. @param now_s  UTC
CommitPull ask_commit_pull(
    TrackerSession& session,
    const ReportTarget& target,
    const Revision& commit,
    std::int64_t now_s);

}  // namespace vigil::service
