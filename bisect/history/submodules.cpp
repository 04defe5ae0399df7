#include "bisect/history/submodules.hpp"

#include <fmt/format.h>

#include "bisect/history/git_objects.hpp"
#include "schema/model/error.hpp"

namespace vigil::history {

namespace {

void check_git(int code, const Revision& revision) {
    if (code == 0) return;
    throw Error(
        code == GIT_ENOTFOUND ? Errc::not_found : Errc::unavailable,
        fmt::format(
            "reading the submodules of commit {}: {}", revision.brief(), last_git_message()));
}

struct FreeBlob {
    void operator()(git_blob* blob) const { git_blob_free(blob); }
};

std::string text_of_entry(
    git_repository* repository, const git_tree_entry* entry, const Revision& revision) {
    if (git_tree_entry_filemode(entry) == GIT_FILEMODE_LINK) {
        throw Error(Errc::invalid_argument, ".gitmodules is a link");
    }
    git_blob* raw = nullptr;
    check_git(git_blob_lookup(&raw, repository, git_tree_entry_id(entry)), revision);
    const std::unique_ptr<git_blob, FreeBlob> blob(raw);
    if (git_blob_rawsize(raw) > max_gitmodules_bytes) {
        throw Error(Errc::invalid_argument, ".gitmodules is too large");
    }
    return {
        static_cast<const char*>(git_blob_rawcontent(raw)),
        static_cast<std::size_t>(git_blob_rawsize(raw))};
}

}  // namespace

std::vector<PinnedSubmodule> list_submodules(
    const std::string& repository, const Revision& revision) {
    const GitRepository opened = open_repository(repository);
    const git_oid oid = oid_of(revision);
    git_commit* raw_commit = nullptr;
    check_git(git_commit_lookup(&raw_commit, opened.get(), &oid), revision);
    const GitCommit commit(raw_commit);
    git_tree* raw_tree = nullptr;
    check_git(git_commit_tree(&raw_tree, commit.get()), revision);
    const GitTree tree(raw_tree);
    const auto* file = git_tree_entry_byname(tree.get(), ".gitmodules");
    if (file == nullptr) return {};
    const auto entries = parse_gitmodules(text_of_entry(opened.get(), file, revision));

    std::vector<PinnedSubmodule> found;
    const auto look = [](const char* root, const git_tree_entry* entry, void* into) {
        if (git_tree_entry_filemode(entry) != GIT_FILEMODE_COMMIT) return 0;
        static_cast<std::vector<PinnedSubmodule>*>(into)->push_back(
            {std::string(root) + git_tree_entry_name(entry),
             Revision(hex_of(*git_tree_entry_id(entry))),
             std::nullopt});
        return 0;
    };
    check_git(git_tree_walk(tree.get(), GIT_TREEWALK_PRE, look, &found), revision);
    for (auto& one : found) {
        const auto entry = entries.find(one.path);
        if (entry != entries.end()) one.entry = entry->second;
    }
    return found;
}

}  // namespace vigil::history
