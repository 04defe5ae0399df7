#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "service/config/config.hpp"
#include "service/store/reports/commands.hpp"
#include "service/store/work/hooked_repositories.hpp"
#include "service/watch/requested/pulls.hpp"

namespace vigil::service {

/// What became of a pull request that may be measured.
struct PullWish {
    std::string project;
    std::string target;  ///< name of the report target
    PullFacts facts;
    PullNews news = PullNews::labelled;
};

/// The repository of an event, which a project watches.
struct HookedRepository {
    std::int64_t github_id = 0;
    std::string name;  ///< as the event has it
};

/// What a webhook's event asks for.
struct HookWish {
    std::optional<std::string> project;      ///< whose newest nightly is to be looked at
    std::string message;                     ///< what is done, or why nothing is; one line
    std::optional<NewCommand> command = {};  ///< what a person asks below an issue
    std::optional<PullWish> pull = {};       ///< of the project; the ledger knows whether it counts
    std::optional<HookedRepository> repository = {};  ///< where it says which, and it is watched
};

/// Reads the payload of an event. What cannot be read, or is not as GitHub writes it, asks nothing,
/// and the message says why.
/// - push: to the branch that a project of `webhook.projects` watches
/// - workflow_run: one that succeeded on that branch, of the repository itself and not of a fork
/// - release: one that was published
/// - issue_comment: a command in the first line of a new comment, where a target of the project
///   files its issues
/// - pull_request: one with the project's label, one that may have had it, or one that says that it
///   fixes an issue of the repository
/// Other events ask nothing, and are not parsed. Pure; memory beside the payload stays small.
/// @param known  a repository with a new name is watched as what it was called before
HookWish read_hook_event(
    std::string_view event,
    std::string_view payload,
    const Config& config,
    const HookedRepositories& known);

}  // namespace vigil::service
