#pragma once

#include <git2.h>
#include <memory>
#include <optional>
#include <string>

// What this folder's sources share of libgit2; only for them.

namespace vigil::service {

struct GitFree {
    void operator()(git_object* object) const { git_object_free(object); }
    void operator()(git_commit* commit) const { git_commit_free(commit); }
    void operator()(git_tree* tree) const { git_tree_free(tree); }
    void operator()(git_blob* blob) const { git_blob_free(blob); }
    void operator()(git_reference* reference) const { git_reference_free(reference); }
    void operator()(git_odb* odb) const { git_odb_free(odb); }
};
template <class T>
using GitPointer = std::unique_ptr<T, GitFree>;

/// Starts the library once for the whole program: written files are synced, settings of users and
/// of the machine are not read, and a mirror may belong to another user (nothing of it is run).
void start_git();

/// The library's own words about its last error on this thread, one line, no credentials.
std::string git_reason();

/// Throws the Error for a failed call: not_found when the library says so, otherwise unavailable.
/// @param attempt  what was attempted, on what, and what to do when it fails
[[noreturn]] void throw_git(int code, const std::string& attempt);

/// Nothing unless `revision` is one that this kind of repository can hold.
std::optional<git_oid> to_oid(const std::string& revision);

/// Null when there is no such commit.
GitPointer<git_commit> find_commit(git_repository* repository, const std::string& revision);

}  // namespace vigil::service
