#include "bisect/history/moved_pin.hpp"

#include <fmt/format.h>

#include "bisect/history/git_objects.hpp"
#include "bisect/history/made_commit.hpp"
#include "schema/model/error.hpp"

namespace vigil::history {

namespace {

struct FreeEntry {
    void operator()(git_tree_entry* entry) const { git_tree_entry_free(entry); }
};
struct FreeBlob {
    void operator()(git_blob* blob) const { git_blob_free(blob); }
};
using TreeEntry = std::unique_ptr<git_tree_entry, FreeEntry>;

void check(int code, const std::string& what) {
    if (code == 0) return;
    throw Error(
        code == GIT_ENOTFOUND ? Errc::not_found : Errc::unavailable,
        fmt::format("moving a dependency, {}: {}", what, last_git_message()));
}

GitCommit commit_of(git_repository* repository, const Revision& revision) {
    const git_oid id = oid_of(revision);
    git_commit* raw = nullptr;
    check(git_commit_lookup(&raw, repository, &id), revision.brief());
    return GitCommit(raw);
}

GitTree tree_of(const GitCommit& commit) {
    git_tree* raw = nullptr;
    check(git_commit_tree(&raw, commit.get()), hex_of(*git_commit_id(commit.get())));
    return GitTree(raw);
}

TreeEntry entry_of(const GitTree& tree, const std::string& path) {
    git_tree_entry* raw = nullptr;
    check(git_tree_entry_bypath(&raw, tree.get(), path.c_str()), path);
    return TreeEntry(raw);
}

std::string text_of(git_repository* repository, const TreeEntry& entry, const std::string& path) {
    git_blob* raw = nullptr;
    check(git_blob_lookup(&raw, repository, git_tree_entry_id(entry.get())), path);
    const std::unique_ptr<git_blob, FreeBlob> blob(raw);
    const auto size = static_cast<std::size_t>(git_blob_rawsize(blob.get()));
    return {static_cast<const char*>(git_blob_rawcontent(blob.get())), size};
}

std::optional<GitTag> tag_in(const std::string& text, const Pin& pin) {
    auto found = find_git_tag(text, pin.line);
    if (found && found->tag != pin.after) found.reset();
    return found;
}

/// Writes the commits of one move.
class MoveWriter {
  public:
    MoveWriter(const std::string& repository, const Revision& moving, const Pin& pin)
        : repository_(open_repository(repository)),
          pin_(pin),
          moving_(commit_of(repository_.get(), moving)),
          tree_(tree_of(moving_)) {
        if (git_commit_parentcount(moving_.get()) == 0) {
            throw Error(Errc::not_found, "commit " + moving.brief() + " has no parent");
        }
        last_ = revision_of(*git_commit_parent_id(moving_.get(), 0));
        const auto entry = entry_of(tree_, pin.path);
        mode_ = git_tree_entry_filemode(entry.get());
        if (pin.line > 0) text_ = text_of(repository_.get(), entry, pin.path);
        link_ = hex_of(*git_tree_entry_id(entry.get()));
    }

    void check_moves_to(const Revision& inner) const {
        const bool is_link = mode_ == GIT_FILEMODE_COMMIT;
        if (pin_.line == 0 && is_link && link_ == inner.str()) return;
        if (pin_.line > 0 && tag_in(text_, pin_)) return;
        throw Error(
            Errc::not_found,
            fmt::format("the tree has no {} at {}", place_of(pin_), inner.brief()));
    }

    /// @return the new commit; it follows the one before
    Revision write(const Revision& inner) {
        git_tree_update update{};
        update.action = GIT_TREE_UPDATE_UPSERT;
        update.id = entry_at(inner);
        update.filemode = mode_;
        update.path = pin_.path.c_str();
        git_oid tree_id;
        check(
            git_tree_create_updated(&tree_id, repository_.get(), tree_.get(), 1, &update),
            pin_.path);
        const auto parent = commit_of(repository_.get(), last_);
        last_ = write_made_commit(
            repository_.get(),
            tree_id,
            parent.get(),
            git_commit_time(moving_.get()),
            place_of(pin_) + " at " + inner.str() + "\n");
        return last_;
    }

    void keep() const { keep_made_commit(repository_.get(), "moves", last_); }

    const Revision& last() const { return last_; }

  private:
    static Revision revision_of(const git_oid& id) { return Revision(hex_of(id)); }

    git_oid entry_at(const Revision& inner) const {
        if (pin_.line == 0) return oid_of(inner);
        auto text = text_;
        text.replace(tag_in(text_, pin_)->at, pin_.after.size(), inner.str());
        git_oid id;
        check(
            git_blob_create_from_buffer(&id, repository_.get(), text.data(), text.size()),
            pin_.path);
        return id;
    }

    GitRepository repository_;
    Pin pin_;
    GitCommit moving_;
    GitTree tree_;
    git_filemode_t mode_ = GIT_FILEMODE_UNREADABLE;
    std::string text_;  ///< of the file; empty: a submodule
    std::string link_;  ///< of the submodule
    Revision last_;
};

}  // namespace

std::vector<Commit> write_moves(
    const std::string& repository,
    const Revision& moving,
    const Pin& pin,
    const std::vector<Commit>& inner) {
    if (inner.empty()) return {};
    MoveWriter writer(repository, moving, pin);
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

std::optional<GitTag> load_git_tag(
    const std::string& repository, const Revision& revision, const Pin& pin) {
    const auto opened = open_repository(repository);
    const auto entry = entry_of(tree_of(commit_of(opened.get(), revision)), pin.path);
    return tag_in(text_of(opened.get(), entry, pin.path), pin);
}

}  // namespace vigil::history
