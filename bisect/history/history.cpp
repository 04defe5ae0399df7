#include "bisect/history/history.hpp"

#include <algorithm>
#include <git2.h>
#include <memory>

#include <fmt/format.h>

#include "bisect/history/one_line.hpp"
#include "schema/model/error.hpp"

namespace vigil::history {

namespace {

struct Free {
    void operator()(git_repository* repository) const { git_repository_free(repository); }
    void operator()(git_commit* commit) const { git_commit_free(commit); }
};
using Repository = std::unique_ptr<git_repository, Free>;
using GitCommit = std::unique_ptr<git_commit, Free>;

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

std::string last_message() {
    const git_error* error = git_error_last();
    return error != nullptr && error->message != nullptr ? one_line(error->message)
                                                         : "no reason given";
}

std::string hex(const git_oid& oid) {
    std::string text(GIT_OID_HEXSZ, '0');
    git_oid_fmt(text.data(), &oid);
    return text;
}

Repository open(const std::string& path) {
    git_repository* raw = nullptr;
    const int code = git_repository_open(&raw, path.c_str());
    if (code == 0) return Repository(raw);
    throw Error(
        code == GIT_ENOTFOUND ? Errc::not_found : Errc::unavailable,
        fmt::format("opening the repository {}: {}", path, last_message()));
}

git_oid oid_of(const Revision& revision) {
    git_oid oid;
    if (revision.str().size() == GIT_OID_HEXSZ &&
        git_oid_fromstr(&oid, revision.str().c_str()) == 0)
        return oid;
    throw Error(
        Errc::invalid_argument,
        fmt::format(
            "listing suspects: revision '{}' is no full SHA-1 hash, the only kind that can be read",
            revision.str()));
}

/// Reads commits and knows what is being listed, for messages.
class Reader {
  public:
    Reader(const std::string& path, const Revision& good, const Revision& bad)
        : path_(path), good_(good), bad_(bad), repository_(open(path)) {}

    GitCommit load(const git_oid& oid) const {
        git_commit* raw = nullptr;
        const int code = git_commit_lookup(&raw, repository_.get(), &oid);
        if (code == 0) return GitCommit(raw);
        const bool missing = code == GIT_ENOTFOUND;
        throw fail(
            missing ? Errc::not_found : Errc::unavailable,
            fmt::format(
                "commit {} {} ({}); fetch the repository again",
                hex(oid),
                missing ? "is missing" : "cannot be read",
                last_message()));
    }

    /// Whether there is one; an error means that objects are missing, which the walk will name.
    int merge_base(git_oid& base, const git_oid& a, const git_oid& b) const {
        return git_merge_base(&base, repository_.get(), &a, &b);
    }

    Error fail(Errc code, const std::string& why) const {
        return Error(
            code,
            fmt::format(
                "listing the suspects after {} up to {} in {}: {}",
                good_.brief(),
                bad_.brief(),
                path_,
                why));
    }

  private:
    std::string path_;
    Revision good_;
    Revision bad_;
    Repository repository_;
};

Commit describe(const git_commit& commit, const Revision& parent) {
    Commit described;
    described.revision = Revision(hex(*git_commit_id(&commit)));
    described.parent = parent;
    described.merge = git_commit_parentcount(&commit) > 1;
    // libgit2 keeps the summary inside the commit, hence no const there.
    const char* summary = git_commit_summary(const_cast<git_commit*>(&commit));
    described.subject = one_line(summary != nullptr ? summary : "");
    if (const git_signature* author = git_commit_author(&commit)) {
        described.author = one_line(author->name != nullptr ? author->name : "");
        described.authored_at_s = author->when.time;
    }
    return described;
}

void require_related(const Reader& reader, const git_oid& good, const git_oid& bad) {
    git_oid base;
    const int code = reader.merge_base(base, good, bad);
    if (code == GIT_ENOTFOUND) {
        throw reader.fail(
            Errc::conflict, "the two have no common history; name ends of the same line");
    }
    if (code != 0 || git_oid_equal(&base, &good) != 0) return;
    throw reader.fail(
        Errc::conflict,
        fmt::format(
            "the good revision is not an ancestor of the bad one; their merge base is {}, "
            "which can stand in for the good end",
            hex(base)));
}

}  // namespace

std::vector<Commit> list_suspects(
    const std::string& repository, const Revision& good, const Revision& bad, int limit) {
    start_libgit2();
    const git_oid good_oid = oid_of(good);
    const git_oid bad_oid = oid_of(bad);
    const Reader reader(repository, good, bad);
    reader.load(good_oid);
    GitCommit commit = reader.load(bad_oid);
    require_related(reader, good_oid, bad_oid);

    std::vector<Commit> suspects;
    while (git_oid_equal(git_commit_id(commit.get()), &good_oid) == 0) {
        if (git_commit_parentcount(commit.get()) == 0) {
            throw reader.fail(
                Errc::conflict,
                fmt::format(
                    "the good revision is an ancestor but not on the first-parent line (it came in "
                    "through a merge); their merge base is {}, name a commit of the line instead",
                    good.str()));
        }
        if (static_cast<int>(suspects.size()) >= limit) {
            throw reader.fail(
                Errc::invalid_argument,
                fmt::format("more than {} commits lie between; choose nearer ends", limit));
        }
        const git_oid parent = *git_commit_parent_id(commit.get(), 0);
        suspects.push_back(describe(*commit, Revision(hex(parent))));
        commit = reader.load(parent);
    }
    std::reverse(suspects.begin(), suspects.end());
    return suspects;
}

}  // namespace vigil::history
