#pragma once

#include <git2.h>
#include <memory>
#include <string>

#include "schema/model/text_ids.hpp"

// libgit2's objects as C++ owns them; for the sources of this folder.

namespace vigil::history {

struct FreeObject {
    void operator()(git_repository* repository) const { git_repository_free(repository); }
    void operator()(git_commit* commit) const { git_commit_free(commit); }
    void operator()(git_revwalk* walk) const { git_revwalk_free(walk); }
    void operator()(git_tree* tree) const { git_tree_free(tree); }
    void operator()(git_diff* diff) const { git_diff_free(diff); }
    void operator()(git_patch* patch) const { git_patch_free(patch); }
};
using GitRepository = std::unique_ptr<git_repository, FreeObject>;
using GitCommit = std::unique_ptr<git_commit, FreeObject>;
using GitWalk = std::unique_ptr<git_revwalk, FreeObject>;
using GitTree = std::unique_ptr<git_tree, FreeObject>;
using GitDiff = std::unique_ptr<git_diff, FreeObject>;
using GitPatch = std::unique_ptr<git_patch, FreeObject>;

/// @throws Error{not_found} when there is none, Error{unavailable} when it cannot be read
GitRepository open_repository(const std::string& path);

/// Why libgit2's last call failed, one line.
std::string last_git_message();

std::string hex_of(const git_oid& oid);

/// @throws Error{invalid_argument} unless it is a full SHA-1 hash
git_oid oid_of(const Revision& revision);

}  // namespace vigil::history
