#include <algorithm>
#include <cstdint>

#include "bisect/history/git_objects.hpp"
#include "bisect/history/history.hpp"
#include "schema/model/error.hpp"

namespace vigil::history {

namespace {

constexpr std::int64_t day_s = 86'400;
constexpr int most_walked = 500'000;

std::int64_t day_number(std::int64_t utc_s) {
    return utc_s >= 0 ? utc_s / day_s : (utc_s - day_s + 1) / day_s;
}

GitCommit find_day_commit(git_repository* repository, const git_oid& oid) {
    git_commit* raw = nullptr;
    git_commit_lookup(&raw, repository, &oid);
    return GitCommit(raw);
}

GitCommit load_day_commit(git_repository* repository, const Revision& revision) {
    auto commit = find_day_commit(repository, oid_of(revision));
    if (commit) return commit;
    throw Error(
        Errc::not_found,
        "listing earlier days: commit " + revision.str() + " is missing (" + last_git_message() +
            ")");
}

}  // namespace

std::vector<DayCommit> list_days(
    const std::string& path, const Revision& end, const Revision& from, int days) {
    const auto repository = open_repository(path);
    const auto newest = load_day_commit(repository.get(), from);
    const auto oldest_day = day_number(git_commit_time(newest.get())) - days;
    auto commit = load_day_commit(repository.get(), end);
    auto day = day_number(git_commit_time(commit.get()));
    std::vector<DayCommit> found;
    for (int walked = 0; walked < most_walked; ++walked) {
        if (git_commit_parentcount(commit.get()) == 0) break;
        const git_oid parent = *git_commit_parent_id(commit.get(), 0);
        commit = find_day_commit(repository.get(), parent);
        if (!commit) break;  // a shallow clone ends here
        const std::int64_t committed_at_s = git_commit_time(commit.get());
        const auto its_day = day_number(committed_at_s);
        if (its_day < oldest_day) break;
        if (its_day >= day) continue;
        day = its_day;
        found.push_back({Revision(hex_of(parent)), committed_at_s});
    }
    std::reverse(found.begin(), found.end());
    return found;
}

}  // namespace vigil::history
