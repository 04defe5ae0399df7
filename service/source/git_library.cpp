#include "service/source/git_library.hpp"

#include "schema/model/error.hpp"
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
    return one_line(without_credentials(error->message));
}

void throw_git(int code, const std::string& attempt) {
    const std::string reason = git_reason();
    const auto says = [&](const char* words) { return reason.find(words) != reason.npos; };
    // The transports give no codes of their own, only words.
    const bool gone = code == GIT_ENOTFOUND || says("code: 404") ||
                      says("could not find repository") || says("failed to resolve path");
    const bool wrong = says("unknown scheme") || says("unsupported URL protocol");
    const Errc kind = gone ? Errc::not_found : wrong ? Errc::invalid_argument : Errc::unavailable;
    throw Error(kind, attempt + ": " + reason);
}

}  // namespace vigil::service
