#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

#include "service/source/git_clone.hpp"

namespace vigil::service {

/// Mirrors of the repositories that a project's submodules, and a GIT_TAG, are of: one for each
/// address, beside the project's own, kept as that one is. Made for one tree at a time: the limits
/// of time are of all that is fetched for it. Owned by the project's git lane.
class SubmoduleMirrors {
  public:
    /// @param folder  of all mirrors; made with the first one
    /// @param limits  of one fetch, as the project's; all mirrors together may have four times the
    ///                bytes
    explicit SubmoduleMirrors(std::filesystem::path folder, GitLimits limits = {});

    /// A mirror that has the commit: of the address, fetched where it is not there yet; or of an
    /// address that the submodule had earlier or has later, for a repository may be renamed or
    /// gone.
    /// @throws as GitClone::open_or_clone; Error{not_found} when the address has no such commit
    const GitClone& with(const std::string& address, const Revision& commit);

    /// The commit that a hash or a tag of the address means, fetching where it is not here. A full
    /// hash is taken as it is.
    /// @param name  a stranger's
    /// @throws as GitClone::open_or_clone; Error{not_found} when there is none, or it is a branch
    Revision resolve(const std::string& address, const std::string& name);

  private:
    std::filesystem::path folder_of(const std::string& address) const;
    GitClone* find_open(const std::filesystem::path& folder, const std::string& origin);
    const GitClone* find_anywhere(const Revision& commit);
    GitClone& renew(const std::string& address);
    GitLimits limits_left();

    std::filesystem::path folder_;
    GitLimits limits_;
    std::chrono::steady_clock::time_point until_;
    std::map<std::string, GitClone> open_;  ///< by address; of another address by its folder
};

/// Where the mirrors of a project's submodules lie: `state_dir`/git/<project>.modules.
std::filesystem::path submodules_folder(const Config& config, const std::string& project);

}  // namespace vigil::service
