#include "bisect/history/list_claims.hpp"

#include <algorithm>
#include <deque>
#include <map>

#include "bisect/history/git_objects.hpp"
#include "bisect/history/history.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"

namespace vigil::history {

namespace {

struct FreeWalk {
    void operator()(git_revwalk* walk) const { git_revwalk_free(walk); }
};

ClaimingCommit read_commit(git_repository* repository, const git_oid& oid) {
    git_commit* raw = nullptr;
    if (git_commit_lookup(&raw, repository, &oid) != 0) {
        throw Error(
            Errc::not_found,
            "reading the text of commit " + hex_of(oid) + ": " + last_git_message());
    }
    const GitCommit commit(raw);
    ClaimingCommit read;
    read.revision = Revision(hex_of(oid));
    const char* summary = git_commit_summary(raw);
    read.subject = text::one_line(summary != nullptr ? summary : "");
    const git_signature* author = git_commit_author(raw);
    if (author != nullptr && author->name != nullptr) read.author = text::one_line(author->name);
    const char* message = git_commit_message(raw);
    read.claims = read_claims(message != nullptr ? message : "");
    return read;
}

std::vector<git_oid> parents_of(git_repository* repository, const git_oid& oid) {
    git_commit* raw = nullptr;
    if (git_commit_lookup(&raw, repository, &oid) != 0) return {};
    const GitCommit commit(raw);
    std::vector<git_oid> parents;
    for (unsigned i = 0; i < git_commit_parentcount(raw); ++i) {
        parents.push_back(*git_commit_parent_id(raw, i));
    }
    return parents;
}

/// All that `upto` has and `after` lacks, newest first, and each before its parents.
std::vector<git_oid> walk_all(
    git_repository* repository, const Revision& after, const Revision& upto, std::size_t most) {
    git_revwalk* raw = nullptr;
    const git_oid hidden = oid_of(after);
    const git_oid pushed = oid_of(upto);
    if (git_revwalk_new(&raw, repository) != 0) return {};
    const std::unique_ptr<git_revwalk, FreeWalk> walk(raw);
    git_revwalk_sorting(raw, GIT_SORT_TOPOLOGICAL);
    std::vector<git_oid> found;
    if (git_revwalk_push(raw, &pushed) != 0 || git_revwalk_hide(raw, &hidden) != 0) return {};
    git_oid oid;
    while (found.size() < most && git_revwalk_next(&oid, raw) == 0) found.push_back(oid);
    return found;
}

/// By which merge of the line each commit beside it came in.
std::map<std::string, Revision> list_brought(
    git_repository* repository, const std::vector<git_oid>& all, const std::vector<Commit>& line) {
    std::map<std::string, Revision> brought;
    for (const auto& oid : all) brought[hex_of(oid)];
    for (const auto& commit : line) brought.erase(commit.revision.str());
    for (const auto& commit : line) {
        std::deque<git_oid> open;
        for (const auto& parent : commit.brought) open.push_back(oid_of(parent));
        while (!open.empty()) {
            const git_oid oid = open.front();
            open.pop_front();
            const auto at = brought.find(hex_of(oid));
            if (at == brought.end() || !at->second.empty()) continue;
            at->second = commit.revision;
            for (const auto& parent : parents_of(repository, oid)) open.push_back(parent);
        }
    }
    return brought;
}

bool claims_nothing(const ClaimingCommit& commit) {
    return commit.claims.reverts.empty() && commit.claims.fixes.empty() &&
           !read_subject(commit.subject);
}

}  // namespace

ClaimedRange list_claims(
    const std::string& repository,
    const Revision& bad,
    const Revision& fixed,
    std::size_t most_read) {
    ClaimedRange claimed;
    if (bad == fixed) return claimed;
    const auto range = list_range(repository, bad, fixed);
    claimed.line_commits = static_cast<std::int64_t>(range.suspects.size());
    claimed.rewritten = range.relation == Relation::forked;
    const auto opened = open_repository(repository);
    const auto all = walk_all(opened.get(), range.base, fixed, most_read);
    const auto brought = list_brought(opened.get(), all, range.suspects);
    // In the order of the line, each merge after what it brought.
    std::map<Revision, std::vector<ClaimingCommit>> inside;
    std::map<Revision, ClaimingCommit> on_line;
    for (auto oid = all.rbegin(); oid != all.rend(); ++oid) {
        auto commit = read_commit(opened.get(), *oid);
        const auto beside = brought.find(commit.revision.str());
        if (beside == brought.end()) {
            on_line.emplace(commit.revision, std::move(commit));
        } else if (!beside->second.empty()) {
            commit.merge = beside->second;
            inside[beside->second].push_back(std::move(commit));
        }
    }
    for (const auto& suspect : range.suspects) {
        for (auto& commit : inside[suspect.revision]) claimed.commits.push_back(std::move(commit));
        const auto own = on_line.find(suspect.revision);
        if (own == on_line.end()) {
            ++claimed.unread_commits;
        } else {
            claimed.commits.push_back(std::move(own->second));
        }
    }
    if (claimed.commits.size() > most_claiming) {
        std::erase_if(claimed.commits, claims_nothing);
        if (claimed.commits.size() > most_claiming) {
            const auto end = claimed.commits.end() - static_cast<std::ptrdiff_t>(most_claiming);
            claimed.unread_commits += end - claimed.commits.begin();
            claimed.commits.erase(claimed.commits.begin(), end);
        }
    }
    return claimed;
}

}  // namespace vigil::history
