#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "bisect/history/history.hpp"
#include "bisect/history/pins.hpp"
#include "service/local/builds/commands.hpp"

namespace vigil::local {

/// The user's repository, read by git, and by libgit2 for the history. Its worktree, index, refs
/// and hooks are never touched; worktrees of ours are registered with it while they exist.
class Repository {
  public:
    /// @param folder  in it, or its git folder
    /// @throws Error{not_found} when there is none, Error{unavailable} without git
    Repository(Commands& commands, const std::filesystem::path& folder);

    const std::filesystem::path& git_folder() const { return git_folder_; }

    /// The top of the worktree, or the git folder of a bare one.
    const std::filesystem::path& path() const { return path_; }

    /// Things a person should know before: uncommitted changes are not measured, it is shallow.
    std::vector<std::string> notes();

    /// @throws Error{not_found} when no commit has this name
    Revision resolve(const std::string& name);

    /// The commits after `good` up to `bad`, oldest first; never none. Where `good` is not on the
    /// line of `bad`, they follow the commit where the two lines part.
    /// @throws Error{invalid_argument, conflict, not_found} saying what is wrong with the range and
    ///         what to give instead
    history::Range range(const Revision& good, const Revision& bad);

    /// First parent first. @throws Error{not_found}
    std::vector<Revision> parents(const Revision& revision);

    /// What a commit moves of the project's dependencies; none when it cannot be read.
    history::PinMoves pins(const Revision& revision);

    /// What a build of the commit is told, for it may not ask: VIGIL_REVISION, VIGIL_DESCRIBE,
    /// VIGIL_DATE.
    EnvironmentVariables version_variables(const Revision& revision);

    /// Whether the commit has submodules.
    bool has_submodules(const Revision& revision);

    /// Subject and author of one commit.
    history::Commit describe(const Revision& revision);

    /// Which of the suspects touch a path; all false for an empty path.
    std::vector<bool> touching(const history::Range& range, const std::string& path);

    /// Paths of the files that differ between two commits, relative to the top; none where git
    /// cannot tell.
    std::set<std::string> changed_files(const Revision& from, const Revision& to);

    /// A fresh worktree of a commit at a folder that does not exist.
    /// @throws Error{unavailable} when git cannot make it (the disk is full, objects are missing)
    void add_worktree(const std::filesystem::path& folder, const Revision& revision);
    /// Makes a worktree of ours that of another commit, as fresh as it can be: what was changed, or
    /// is not of the commit, is gone. @return  false: it did not go, and nothing is known of it
    bool renew_worktree(const std::filesystem::path& folder, const Revision& revision);
    /// Forgets the worktree at a folder, whether it is still there or not.
    void forget_worktree(const std::filesystem::path& folder);

  private:
    std::string output(
        const std::vector<std::string>& arguments,
        const std::string& doing,
        const EnvironmentVariables& more = {});
    bool is_shallow();

    Commands& commands_;
    std::filesystem::path path_;
    std::filesystem::path git_folder_;
    bool bare_ = false;
};

}  // namespace vigil::local
