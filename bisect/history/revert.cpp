#include "bisect/history/revert.hpp"

#include <memory>
#include <set>

#include <fmt/format.h>

#include "bisect/history/git_objects.hpp"
#include "bisect/history/made_commit.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"

namespace vigil::history {

namespace {

constexpr std::size_t most_conflict_path = 200;

struct FreeIndex {
    void operator()(git_index* index) const { git_index_free(index); }
    void operator()(git_index_conflict_iterator* all) const {
        git_index_conflict_iterator_free(all);
    }
};
using GitIndex = std::unique_ptr<git_index, FreeIndex>;

void check_revert(int code, const Revision& revision) {
    if (code >= 0) return;
    throw Error(
        code == GIT_ENOTFOUND ? Errc::not_found : Errc::unavailable,
        fmt::format("reverting {}: {}", revision.brief(), last_git_message()));
}

GitCommit commit_to_revert(git_repository* repository, const Revision& revision) {
    const git_oid id = oid_of(revision);
    git_commit* raw = nullptr;
    check_revert(git_commit_lookup(&raw, repository, &id), revision);
    return GitCommit(raw);
}

// A file that moved stands there by several names: each is one that somebody has to look at.
void note_conflicts(git_index* index, const Revision& commit, RevertTry& tried) {
    git_index_conflict_iterator* raw = nullptr;
    check_revert(git_index_conflict_iterator_new(&raw, index), commit);
    const std::unique_ptr<git_index_conflict_iterator, FreeIndex> all(raw);
    std::set<std::string> paths;
    const git_index_entry *base = nullptr, *ours = nullptr, *theirs = nullptr;
    int code = 0;
    while ((code = git_index_conflict_next(&base, &ours, &theirs, all.get())) == 0) {
        const auto* one = ours != nullptr ? ours : theirs != nullptr ? theirs : base;
        if (one != nullptr) paths.insert(one->path);
    }
    if (code != GIT_ITEROVER) check_revert(code, commit);
    tried.conflicting = static_cast<int>(paths.size());
    for (const auto& path : paths) {
        if (tried.conflicts.size() == most_conflicts) break;
        tried.conflicts.push_back(text::one_line(path, most_conflict_path));
    }
}

}  // namespace

RevertTry write_revert(
    const std::string& repository, const Revision& commit, const Revision& head) {
    const auto opened = open_repository(repository);
    const auto taken = commit_to_revert(opened.get(), commit);
    const auto onto = commit_to_revert(opened.get(), head);
    const git_oid* id = git_commit_id(taken.get());
    const git_oid* head_id = git_commit_id(onto.get());
    const auto parents = git_commit_parentcount(taken.get());
    RevertTry tried;
    tried.head = head;
    if (parents == 0) {
        tried.fit = RevertFit::no_parent;
        return tried;
    }
    tried.parent = Revision(hex_of(*git_commit_parent_id(taken.get(), 0)));
    const int follows =
        git_oid_equal(id, head_id) ? 1 : git_graph_descendant_of(opened.get(), head_id, id);
    check_revert(follows, commit);
    if (follows == 0) {
        tried.fit = RevertFit::not_held;
        return tried;
    }
    git_merge_options options = GIT_MERGE_OPTIONS_INIT;  // follows renames, as git does
    git_index* raw = nullptr;
    check_revert(
        git_revert_commit(
            &raw, opened.get(), taken.get(), onto.get(), parents > 1 ? 1 : 0, &options),
        commit);
    const GitIndex index(raw);
    if (git_index_has_conflicts(index.get()) != 0) {
        tried.fit = RevertFit::conflicts;
        note_conflicts(index.get(), commit, tried);
        return tried;
    }
    git_oid tree;
    check_revert(git_index_write_tree_to(&tree, index.get(), opened.get()), commit);
    if (git_oid_equal(&tree, git_commit_tree_id(onto.get()))) {
        tried.fit = RevertFit::empty;
        return tried;
    }
    tried.fit = RevertFit::applies;
    tried.made = write_made_commit(
        opened.get(),
        tree,
        onto.get(),
        git_commit_time(onto.get()),
        fmt::format("Revert {}\n\nThis reverts commit {}.\n", commit.brief(), commit.str()));
    keep_made_commit(opened.get(), "reverts", tried.made);
    return tried;
}

}  // namespace vigil::history
