#include "bisect/history/moved_submodule.hpp"

#include <fmt/format.h>

#include "bisect/history/git_objects.hpp"
#include "schema/model/error.hpp"

namespace vigil::history {

namespace {

struct FreeSignature {
    void operator()(git_signature* signature) const { git_signature_free(signature); }
};
struct FreeEntry {
    void operator()(git_tree_entry* entry) const { git_tree_entry_free(entry); }
};
struct FreeReference {
    void operator()(git_reference* reference) const { git_reference_free(reference); }
};

/// Writes the commits of one move.
class MoveWriter {
  public:
    MoveWriter(const std::string& repository, const Revision& moving, std::string path)
        : repository_(open_repository(repository)), path_(std::move(path)) {
        moving_ = commit_of(moving);
        git_tree* tree = nullptr;
        check(git_commit_tree(&tree, moving_.get()), moving.brief());
        tree_.reset(tree);
        if (git_commit_parentcount(moving_.get()) == 0) {
            throw Error(Errc::not_found, "commit " + moving.brief() + " has no parent");
        }
        last_ = revision_of(*git_commit_parent_id(moving_.get(), 0));
    }

    void check_moves_to(const Revision& inner) const {
        git_tree_entry* raw = nullptr;
        check(git_tree_entry_bypath(&raw, tree_.get(), path_.c_str()), path_);
        const std::unique_ptr<git_tree_entry, FreeEntry> entry(raw);
        const bool is_link = git_tree_entry_filemode(entry.get()) == GIT_FILEMODE_COMMIT;
        if (is_link && revision_of(*git_tree_entry_id(entry.get())) == inner) return;
        throw Error(Errc::not_found, "the tree has no submodule " + path_ + " at " + inner.brief());
    }

    /// @return the new commit; it follows the one before
    Revision write(const Revision& inner) {
        git_tree_update update{};
        update.action = GIT_TREE_UPDATE_UPSERT;
        update.id = oid_of(inner);
        update.filemode = GIT_FILEMODE_COMMIT;
        update.path = path_.c_str();
        git_oid tree_id, id;
        check(git_tree_create_updated(&tree_id, repository_.get(), tree_.get(), 1, &update), path_);
        git_tree* raw_tree = nullptr;
        check(git_tree_lookup(&raw_tree, repository_.get(), &tree_id), path_);
        const GitTree tree(raw_tree);
        git_signature* raw = nullptr;
        const auto at = git_commit_time(moving_.get());
        check(git_signature_new(&raw, "vigil", "vigil@localhost", at, 0), path_);
        const std::unique_ptr<git_signature, FreeSignature> by(raw);
        const auto parent = commit_of(last_);
        const git_commit* parents[] = {parent.get()};
        const auto message = path_ + " at " + inner.str() + "\n";
        check(
            git_commit_create(
                &id,
                repository_.get(),
                nullptr,
                by.get(),
                by.get(),
                nullptr,
                message.c_str(),
                tree.get(),
                1,
                parents),
            path_);
        last_ = revision_of(id);
        return last_;
    }

    void keep() const {
        const git_oid id = oid_of(last_);
        git_reference* raw = nullptr;
        const auto name = "refs/moves/" + last_.str();
        check(git_reference_create(&raw, repository_.get(), name.c_str(), &id, 1, nullptr), name);
        const std::unique_ptr<git_reference, FreeReference> reference(raw);
    }

    const Revision& last() const { return last_; }

  private:
    static Revision revision_of(const git_oid& id) { return Revision(hex_of(id)); }

    static void check(int code, const std::string& what) {
        if (code == 0) return;
        throw Error(
            code == GIT_ENOTFOUND ? Errc::not_found : Errc::unavailable,
            fmt::format("moving a submodule, {}: {}", what, last_git_message()));
    }

    GitCommit commit_of(const Revision& revision) const {
        const git_oid id = oid_of(revision);
        git_commit* raw = nullptr;
        check(git_commit_lookup(&raw, repository_.get(), &id), revision.brief());
        return GitCommit(raw);
    }

    GitRepository repository_;
    std::string path_;
    GitCommit moving_;
    GitTree tree_;
    Revision last_;
};

}  // namespace

std::vector<Commit> write_moves(
    const std::string& repository,
    const Revision& moving,
    const std::string& path,
    const std::vector<Commit>& inner) {
    if (inner.empty()) return {};
    MoveWriter writer(repository, moving, path);
    writer.check_moves_to(inner.back().revision);
    std::vector<Commit> written;
    for (const auto& one : inner) {
        Commit commit;
        commit.parent = writer.last();
        const bool is_last = &one == &inner.back();
        commit.revision = is_last ? moving : writer.write(one.revision);
        commit.subject = one.subject;
        commit.author = one.author;
        commit.authored_at_s = one.authored_at_s;
        commit.stands_for = one.revision;
        written.push_back(std::move(commit));
    }
    if (written.size() > 1) writer.keep();
    return written;
}

}  // namespace vigil::history
