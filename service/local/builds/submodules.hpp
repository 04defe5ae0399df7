#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "service/local/builds/commands.hpp"

namespace vigil::local {

/// Puts the files of a commit's submodules into its worktree. Their commits are taken from what the
/// user's own clone has of them (`.git/modules`, only read), else from mirrors of ours, which are
/// fetched where they lack one. No submodule is registered with the user's repository.
class Submodules {
  public:
    /// @param git_folder  of the user's repository
    /// @param mirrors     a folder of ours; made when it is needed
    Submodules(Commands& commands, std::filesystem::path git_folder, std::filesystem::path mirrors);

    /// One submodule of a commit, at another commit of its own.
    struct MovedPin {
        std::string path;
        Revision pin;
    };

    /// @param tree   a worktree of the commit, without files of submodules
    /// @param moved  nullopt: all of them are where the commit has them
    /// @return why the commit cannot be built, one line; empty: all of them are there
    std::string fill(
        const std::filesystem::path& tree,
        const Revision& revision,
        const std::optional<MovedPin>& moved = std::nullopt);

    /// A git folder that has both commits of a submodule of the project itself.
    /// @throws Error{not_found} when there is no such submodule; as fill says why
    std::filesystem::path repository_of(
        const Revision& revision,
        const std::string& path,
        const Revision& before,
        const Revision& after);

  private:
    struct Place;
    void fill_from(
        const Place& place,
        const std::filesystem::path& tree,
        const Revision& revision,
        const std::optional<MovedPin>& moved);
    std::filesystem::path source_of(
        const std::filesystem::path& own, const std::string& address, const Revision& pin);
    void fetch(
        const std::filesystem::path& mirror, const std::string& address, const Revision& pin);
    void run_git(
        const std::vector<std::string>& arguments,
        const std::filesystem::path& folder,
        const EnvironmentVariables& more);
    bool has(const std::filesystem::path& git_folder, const Revision& revision);
    std::string origin();

    Commands& commands_;
    std::filesystem::path git_folder_;
    std::filesystem::path mirrors_;
    int taken_ = 0;  ///< submodules of the tree so far
};

}  // namespace vigil::local
