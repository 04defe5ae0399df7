#include "bisect/history/changed_files.hpp"

#include "bisect/history/git_objects.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"

namespace vigil::history {

namespace {

void check(int code, const Revision& revision) {
    if (code == 0) return;
    throw Error(
        Errc::not_found,
        "listing the files that " + revision.brief() + " changes: " + last_git_message());
}

GitTree tree_of(git_commit* commit, const Revision& revision) {
    git_tree* raw = nullptr;
    check(git_commit_tree(&raw, commit), revision);
    return GitTree(raw);
}

}  // namespace

std::set<std::string> list_changed_files(const std::string& repository, const Revision& revision) {
    const auto opened = open_repository(repository);
    const git_oid oid = oid_of(revision);
    git_commit* raw = nullptr;
    check(git_commit_lookup(&raw, opened.get(), &oid), revision);
    const GitCommit commit(raw);
    git_commit* raw_parent = nullptr;
    check(git_commit_parent(&raw_parent, commit.get(), 0), revision);
    const GitCommit parent(raw_parent);
    const GitTree before = tree_of(parent.get(), revision);
    const GitTree after = tree_of(commit.get(), revision);
    git_diff* raw_diff = nullptr;
    check(
        git_diff_tree_to_tree(&raw_diff, opened.get(), before.get(), after.get(), nullptr),
        revision);
    const GitDiff diff(raw_diff);
    const std::size_t files = git_diff_num_deltas(diff.get());
    std::set<std::string> changed;
    if (files > most_changed_files) return changed;
    for (std::size_t i = 0; i < files; ++i) {
        const git_diff_delta* delta = git_diff_get_delta(diff.get(), i);
        for (const char* path : {delta->old_file.path, delta->new_file.path}) {
            if (path != nullptr) changed.insert(text::one_line(path));
        }
    }
    return changed;
}

}  // namespace vigil::history
