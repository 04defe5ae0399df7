#pragma once

#include <filesystem>
#include <string>

#include "service/source/git_clone.hpp"

// How a mirror comes to be, follows its origin and names its commits: by the program git, in a
// process that is killed when it takes too long or the daemon ends. Only for this folder's sources.

namespace vigil::service {

/// Makes a bare repository in `folder`, which is not there, with all branches and tags of `origin`.
/// A repository on a local path is linked or copied, not transferred.
/// @throws as GitClone::open_or_clone; what it has made then is left for the caller to remove
void first_fetch(
    const std::filesystem::path& folder, const std::string& origin, const GitLimits& limits);

/// Brings the branches and tags of the bare repository `folder` to what `origin` has.
/// @throws as GitClone::open_or_clone
void fetch_into(
    const std::filesystem::path& folder, const std::string& origin, const GitLimits& limits);

/// Brings the newest commit of a pull request, as `refs/pull/NUMBER/head` of `origin` names it.
/// @throws as GitClone::open_or_clone
void fetch_pull_into(
    const std::filesystem::path& folder,
    const std::string& origin,
    const GitLimits& limits,
    std::int64_t number);

/// Brings one commit that no branch and no tag of `origin` holds, and keeps it.
/// @throws as GitClone::open_or_clone
void fetch_commit_into(
    const std::filesystem::path& folder,
    const std::string& origin,
    const GitLimits& limits,
    const Revision& revision);

/// How git describes a commit of the bare repository. @throws Error when it cannot
std::string describe_in(
    const std::filesystem::path& folder, const GitLimits& limits, const Revision& revision);

/// Writes `git archive` of a commit of the bare repository to a file. @throws Error when it cannot
void archive_in(
    const std::filesystem::path& folder,
    const GitLimits& limits,
    const Revision& revision,
    const std::filesystem::path& file);

}  // namespace vigil::service
