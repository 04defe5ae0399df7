#include "bisect/history/git_objects.hpp"

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"

namespace vigil::history {

namespace {

/// libgit2 counts its users; ours stays one for the life of the program.
void start_libgit2() {
    static const bool started = [] {
        git_libgit2_init();
        // A daemon reads clones that another account owns; it runs no hooks and no config of
        // theirs.
        git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
        return true;
    }();
    VIGIL_ASSERT(started);
}

}  // namespace

GitRepository open_repository(const std::string& path) {
    start_libgit2();
    git_repository* raw = nullptr;
    const int code = git_repository_open(&raw, path.c_str());
    if (code == 0) return GitRepository(raw);
    throw Error(
        code == GIT_ENOTFOUND ? Errc::not_found : Errc::unavailable,
        fmt::format("opening the repository {}: {}", path, last_git_message()));
}

std::string last_git_message() {
    const git_error* error = git_error_last();
    return error != nullptr && error->message != nullptr ? text::one_line(error->message)
                                                         : "no reason given";
}

std::string hex_of(const git_oid& oid) {
    std::string text(GIT_OID_HEXSZ, '0');
    git_oid_fmt(text.data(), &oid);
    return text;
}

git_oid oid_of(const Revision& revision) {
    git_oid oid;
    if (revision.str().size() == GIT_OID_HEXSZ &&
        git_oid_fromstr(&oid, revision.str().c_str()) == 0)
        return oid;
    throw Error(
        Errc::invalid_argument,
        fmt::format(
            "reading the history: revision '{}' is no full SHA-1 hash, the only kind that can be "
            "read",
            revision.str()));
}

}  // namespace vigil::history
