#include "bisect/history/history.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "bisect/history/git_objects.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"

namespace vigil::history {

namespace {

constexpr int most_counted = 500'000;  // commits of a range, to say what each of the line brings

/// Reads commits and knows what is being listed, for messages.
class Reader {
  public:
    Reader(const std::string& path, const Revision& good, const Revision& bad)
        : path_(path), good_(good), bad_(bad), repository_(open_repository(path)) {}

    GitCommit load(const git_oid& oid) const {
        git_commit* raw = nullptr;
        const int code = git_commit_lookup(&raw, repository_.get(), &oid);
        if (code == 0) return GitCommit(raw);
        const bool missing = code == GIT_ENOTFOUND;
        throw fail(
            missing ? Errc::not_found : Errc::unavailable,
            fmt::format(
                "commit {} {} ({}); fetch the repository again",
                hex_of(oid),
                missing ? "is missing" : "cannot be read",
                last_git_message()));
    }

    /// Whether there is one; an error means that objects are missing, which the walk will name.
    int merge_base(git_oid& base, const git_oid& a, const git_oid& b) const {
        return git_merge_base(&base, repository_.get(), &a, &b);
    }

    /// Whether `newer` is `older` or descends from it.
    bool holds(const git_oid& newer, const git_oid& older) const {
        return git_oid_equal(&newer, &older) != 0 ||
               git_graph_descendant_of(repository_.get(), &newer, &older) == 1;
    }

    /// The commits that `newer` has and none of `older`; nothing where objects are missing, or
    /// there are more than `limit`.
    std::optional<std::vector<git_oid>> list_between(
        const git_oid& newer, const std::vector<git_oid>& older, int limit) const {
        git_revwalk* raw = nullptr;
        if (git_revwalk_new(&raw, repository_.get()) != 0) return std::nullopt;
        const GitWalk walk(raw);
        if (git_revwalk_push(raw, &newer) != 0) return std::nullopt;
        for (const auto& one : older) {
            if (git_revwalk_hide(raw, &one) != 0) return std::nullopt;
        }
        std::vector<git_oid> found;
        git_oid next;
        int code = 0;
        while ((code = git_revwalk_next(&next, raw)) == 0) {
            if (static_cast<int>(found.size()) == limit) return std::nullopt;
            found.push_back(next);
        }
        return code == GIT_ITEROVER ? std::optional(std::move(found)) : std::nullopt;
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
    GitRepository repository_;
};

Commit describe(const git_commit& commit, const Revision& parent) {
    Commit described;
    described.revision = Revision(hex_of(*git_commit_id(&commit)));
    described.parent = parent;
    described.merge = git_commit_parentcount(&commit) > 1;
    for (unsigned i = 1; i < git_commit_parentcount(&commit); ++i) {
        described.brought.emplace_back(hex_of(*git_commit_parent_id(&commit, i)));
    }
    // libgit2 keeps the summary inside the commit, hence no const there.
    const char* summary = git_commit_summary(const_cast<git_commit*>(&commit));
    described.subject = text::one_line(summary != nullptr ? summary : "");
    if (const git_signature* author = git_commit_author(&commit)) {
        described.author = text::one_line(author->name != nullptr ? author->name : "");
        described.email = text::one_line(author->email != nullptr ? author->email : "");
        described.authored_at_s = author->when.time;
    }
    return described;
}

Error no_common_history(const Reader& reader) {
    return reader.fail(Errc::conflict, "the two have no common history");
}

/// The line from `bad` back to `good`, oldest first; nothing when `good` is not on it.
std::optional<std::vector<Commit>> walk(
    const Reader& reader, const git_oid& good, const git_oid& bad, int limit) {
    std::vector<Commit> suspects;
    GitCommit commit = reader.load(bad);
    while (git_oid_equal(git_commit_id(commit.get()), &good) == 0) {
        if (git_commit_parentcount(commit.get()) == 0) return std::nullopt;
        if (static_cast<int>(suspects.size()) >= limit) {
            throw reader.fail(
                Errc::invalid_argument,
                fmt::format("more than {} commits lie between; choose nearer ends", limit));
        }
        const git_oid parent = *git_commit_parent_id(commit.get(), 0);
        suspects.push_back(describe(*commit, Revision(hex_of(parent))));
        commit = reader.load(parent);
    }
    std::reverse(suspects.begin(), suspects.end());
    return suspects;
}

struct OidOrder {
    bool operator()(const git_oid& a, const git_oid& b) const { return git_oid_cmp(&a, &b) < 0; }
};

/// Says of each commit of the line how many came with it. Where that cannot be known, each is one.
void count_commits(
    const Reader& reader,
    const git_oid& base,
    const git_oid& good,
    const git_oid& bad,
    std::vector<Commit>& line) {
    if (std::ranges::none_of(line, [](const Commit& commit) { return commit.merge; })) return;
    const auto range = reader.list_between(bad, {base, good}, most_counted);
    if (!range) return;
    std::set<git_oid, OidOrder> unclaimed(range->begin(), range->end());
    for (Commit& commit : line) {
        unclaimed.erase(oid_of(commit.revision));
        std::vector<git_oid> open;
        for (const auto& parent : commit.brought) open.push_back(oid_of(parent));
        while (!open.empty()) {
            const git_oid next = open.back();
            open.pop_back();
            if (unclaimed.erase(next) == 0) continue;
            ++commit.commits;
            const GitCommit brought = reader.load(next);
            for (unsigned i = 0; i < git_commit_parentcount(brought.get()); ++i) {
                open.push_back(*git_commit_parent_id(brought.get(), i));
            }
        }
    }
}

/// The newest commit of bad's first-parent line that `good` holds.
std::optional<git_oid> parting(const Reader& reader, const git_oid& good, const git_oid& bad) {
    std::vector<git_oid> line{bad};
    try {
        while (true) {
            const GitCommit commit = reader.load(line.back());
            if (git_commit_parentcount(commit.get()) == 0) break;
            line.push_back(*git_commit_parent_id(commit.get(), 0));
        }
    } catch (const Error&) {
        line.pop_back();  // a shallow clone ends here: what is older cannot be searched
    }
    // What is older than a commit that `good` holds is held too.
    const auto found = std::partition_point(
        line.begin(), line.end(), [&](const git_oid& oid) { return !reader.holds(good, oid); });
    return found == line.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

Range list_range(
    const std::string& repository, const Revision& good, const Revision& bad, int limit) {
    const git_oid good_oid = oid_of(good);
    const git_oid bad_oid = oid_of(bad);
    const Reader reader(repository, good, bad);
    reader.load(good_oid);
    reader.load(bad_oid);
    git_oid merge_base;
    const int code = reader.merge_base(merge_base, good_oid, bad_oid);
    if (code == GIT_ENOTFOUND) throw no_common_history(reader);
    const bool ancestor = code != 0 || git_oid_equal(&merge_base, &good_oid) != 0;
    Range range;
    range.base = good;
    if (ancestor) {
        if (auto suspects = walk(reader, good_oid, bad_oid, limit)) {
            range.suspects = std::move(*suspects);
            count_commits(reader, good_oid, good_oid, bad_oid, range.suspects);
            return range;
        }
    }
    const auto base = parting(reader, good_oid, bad_oid);
    if (!base) throw no_common_history(reader);
    if (git_oid_equal(&*base, &bad_oid) != 0) {
        throw reader.fail(
            Errc::conflict,
            "the good revision holds the bad one: it is the newer of the two; exchange them");
    }
    range.base = Revision(hex_of(*base));
    range.relation = ancestor ? Relation::merged_in : Relation::forked;
    auto suspects = walk(reader, *base, bad_oid, limit);
    VIGIL_ASSERT(suspects.has_value());
    range.suspects = std::move(*suspects);
    count_commits(reader, *base, good_oid, bad_oid, range.suspects);
    return range;
}

std::vector<Revision> list_parents(const std::string& repository, const Revision& revision) {
    const Reader reader(repository, revision, revision);
    const GitCommit commit = reader.load(oid_of(revision));
    std::vector<Revision> parents;
    for (unsigned i = 0; i < git_commit_parentcount(commit.get()); ++i) {
        parents.emplace_back(hex_of(*git_commit_parent_id(commit.get(), i)));
    }
    return parents;
}

}  // namespace vigil::history
