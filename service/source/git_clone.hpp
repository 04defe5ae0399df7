#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "schema/model/text_ids.hpp"
#include "service/config/config.hpp"

struct git_repository;

namespace vigil::service {

/// Bounds of one clone or fetch.
struct GitLimits {
    std::int64_t max_bytes = std::int64_t{8} << 30;  ///< received over the network
    int timeout_s = 3600;
    int silence_s = 300;                      ///< without a word about the transfer's progress
    const std::atomic<bool>* stop = nullptr;  ///< when it turns true, a transfer ends at once
};

/// Our bare mirror of a project's repository: all its branches and tags. Commits that a branch
/// forgets (deleted, rewritten) stay, so nights of the past can still be built. Owned by the git
/// lane; used by one thread at a time. It is read by the library and fetched by the program git,
/// which can be killed. No hook, filter or setting of the origin or of a user is ever run or read,
/// and nobody is asked anything.
class GitClone {
  public:
    /// Opens the mirror in `folder`; the first time it is cloned, beside it, and moved there when
    /// it is complete. What a crash left behind (half a clone, lock files) is cleaned away.
    /// @param origin  path or URL; may change between runs
    /// @throws Error{not_found} when there is no such repository; Error{unavailable} when it cannot
    ///         be reached or takes too long; Error{invalid_argument} when it asks for credentials,
    ///         is too large, lacks objects (a partial or shallow clone), or its address is of an
    ///         unknown kind
    static GitClone open_or_clone(
        const std::filesystem::path& folder, const std::string& origin, GitLimits limits = {});

    /// The mirror of a project: `state_dir`/git/<project>.git of its `source.repository`.
    /// @throws Error{invalid_argument} when the project names no repository
    static GitClone open_or_clone(
        const ProjectConfig& project, const Config& config, GitLimits limits = {});

    /// Follows the origin: new, moved, rewritten, renamed and deleted branches and tags.
    void fetch();

    /// Fetches the newest commit of a pull request, as GitHub's `refs/pull` names it; no branch of
    /// ours moves.
    void fetch_pull(std::int64_t number);

    /// Fetches a commit by its hash, where the origin gives what no branch and no tag holds; it
    /// stays. @throws Error when it does not
    void fetch_commit(const Revision& revision);

    /// Of what is fetched from now on.
    void set_limits(GitLimits limits) { limits_ = limits; }

    /// The newest commit that both hold. @throws Error{not_found} where they share none
    Revision merge_base(const Revision& a, const Revision& b) const;

    /// @throws Error{not_found} naming the branches there are
    Revision tip(const std::string& branch) const;

    /// Whether the commit is here: fetched once, on whatever branch.
    bool contains(const Revision& revision) const;

    /// Whether `newer` is `older` or descends from it. Both are here.
    /// @throws Error{not_found}, Error{unavailable}
    bool holds(const Revision& newer, const Revision& older) const;

    /// Committer's time of a commit. @throws Error{not_found}
    std::int64_t committed_at_s(const Revision& revision) const;

    /// As `git describe --tags --always` names a commit: by the newest tag that it holds. Where git
    /// cannot tell soon, the first digits of its hash.
    std::string describe(const Revision& revision) const;

    /// Writes what `git archive` makes of a commit's tree, a tar.
    /// @throws Error{unavailable}
    void archive(const Revision& revision, const std::filesystem::path& file) const;

    /// A commit's message, as it stands there. @throws Error{not_found}
    std::string message(const Revision& revision) const;

    /// The commit that a full hash, a unique prefix of at least 7 digits, a branch or a tag means.
    std::optional<Revision> find_revision(const std::string& name) const;

    /// The same of what does not move: not of a branch, even where a tag has its name too.
    std::optional<Revision> find_fixed(const std::string& name) const;

    /// The bare repository's folder, as history::list_suspects takes it.
    std::string path() const { return folder_.string(); }
    const std::string& origin() const { return origin_; }
    git_repository* handle() const { return repository_.get(); }  ///< for this folder's sources

  private:
    struct Close {
        void operator()(git_repository* repository) const;
    };
    GitClone(std::filesystem::path folder, std::string origin, GitLimits limits);

    std::filesystem::path folder_;
    std::string origin_;
    GitLimits limits_;
    std::unique_ptr<git_repository, Close> repository_;
};

/// Where a project's mirror lies.
std::filesystem::path clone_folder(const Config& config, const std::string& project);

}  // namespace vigil::service
