#include "service/source/git_library.hpp"

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "service/source/words.hpp"

namespace vigil::service {

void start_git() {
    static const bool started = [] {
        VIGIL_ASSERT(git_libgit2_init() > 0);
        git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
        git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
        for (const auto level :
             {GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL}) {
            git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "");
        }
        return true;
    }();
    VIGIL_ASSERT(started);
}

std::string git_reason() {
    const git_error* error = git_error_last();
    if (error == nullptr || error->message == nullptr) return "unknown reason";
    return text::one_line(without_credentials(error->message));
}

void throw_git(int code, const std::string& attempt) {
    const Errc kind = code == GIT_ENOTFOUND ? Errc::not_found : Errc::unavailable;
    throw Error(kind, attempt + ": " + git_reason());
}

std::optional<git_oid> to_oid(const std::string& revision) {
    git_oid oid;
    if (revision.size() != GIT_OID_HEXSZ) return std::nullopt;
    if (git_oid_fromstr(&oid, revision.c_str()) != 0) return std::nullopt;
    return oid;
}

GitPointer<git_commit> find_commit(git_repository* repository, const std::string& revision) {
    const auto oid = to_oid(revision);
    git_commit* commit = nullptr;
    if (!oid || git_commit_lookup(&commit, repository, &*oid) != 0) return nullptr;
    return GitPointer<git_commit>(commit);
}

}  // namespace vigil::service
