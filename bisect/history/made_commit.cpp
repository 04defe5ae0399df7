#include "bisect/history/made_commit.hpp"

#include <memory>

#include "bisect/history/git_objects.hpp"
#include "schema/model/error.hpp"

namespace vigil::history {

namespace {

struct FreeMadeSignature {
    void operator()(git_signature* signature) const { git_signature_free(signature); }
};
struct FreeMadeReference {
    void operator()(git_reference* reference) const { git_reference_free(reference); }
};

void check_written(int code, const std::string& what) {
    if (code == 0) return;
    throw Error(
        code == GIT_ENOTFOUND ? Errc::not_found : Errc::unavailable,
        "writing a commit of our own, " + what + ": " + last_git_message());
}

}  // namespace

Revision write_made_commit(
    git_repository* repository,
    const git_oid& tree,
    const git_commit* parent,
    std::int64_t at_s,
    const std::string& message) {
    git_tree* raw_tree = nullptr;
    check_written(git_tree_lookup(&raw_tree, repository, &tree), "its tree");
    const GitTree owned(raw_tree);
    git_signature* raw = nullptr;
    check_written(git_signature_new(&raw, "vigil", "vigil@localhost", at_s, 0), "its author");
    const std::unique_ptr<git_signature, FreeMadeSignature> by(raw);
    const git_commit* parents[] = {parent};
    git_oid id;
    check_written(
        git_commit_create(
            &id,
            repository,
            nullptr,
            by.get(),
            by.get(),
            nullptr,
            message.c_str(),
            owned.get(),
            1,
            parents),
        "the commit itself");
    return Revision(hex_of(id));
}

void keep_made_commit(
    git_repository* repository, const std::string& room, const Revision& revision) {
    const git_oid id = oid_of(revision);
    const auto name = "refs/" + room + "/" + revision.str();
    git_reference* raw = nullptr;
    check_written(git_reference_create(&raw, repository, name.c_str(), &id, 1, nullptr), name);
    const std::unique_ptr<git_reference, FreeMadeReference> reference(raw);
}

}  // namespace vigil::history
