#include "service/store/findings/mending_records.hpp"

#include <nlohmann/json.hpp>

#include "service/store/json_column.hpp"

namespace vigil::history {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(IssueName, place, number)

static void to_json(json& value, const ClaimingCommit& commit) {
    value = {
        {"revision", commit.revision},
        {"merge", commit.merge},
        {"subject", commit.subject},
        {"author", commit.author},
        {"reverts", commit.claims.reverts},
        {"fixes", commit.claims.fixes}};
}

static void from_json(const json& value, ClaimingCommit& commit) {
    value.at("revision").get_to(commit.revision);
    value.at("merge").get_to(commit.merge);
    value.at("subject").get_to(commit.subject);
    value.at("author").get_to(commit.author);
    value.at("reverts").get_to(commit.claims.reverts);
    value.at("fixes").get_to(commit.claims.fixes);
}

}  // namespace vigil::history

namespace vigil::service {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(
    Mending,
    by,
    revision,
    candidates,
    subject,
    author,
    merge,
    merge_subject,
    reverts,
    of_suspects,
    others,
    only,
    line_commits,
    unread_commits,
    rewritten,
    unlisted)

static void to_json(json& value, const MendingCommits& commits) {
    value = {
        {"commits", commits.range.commits},
        {"line_commits", commits.range.line_commits},
        {"unread_commits", commits.range.unread_commits},
        {"rewritten", commits.range.rewritten},
        {"unlisted", commits.unlisted}};
}

static void from_json(const json& value, MendingCommits& commits) {
    value.at("commits").get_to(commits.range.commits);
    value.at("line_commits").get_to(commits.range.line_commits);
    value.at("unread_commits").get_to(commits.range.unread_commits);
    value.at("rewritten").get_to(commits.range.rewritten);
    value.at("unlisted").get_to(commits.unlisted);
}

template <>
constexpr const char* column_of<MendingCommits> = "mending.commits";
template <>
constexpr const char* column_of<Mending> = "mending.told";

template struct JsonColumn<MendingCommits>;
template struct JsonColumn<Mending>;

namespace {

std::string brought_words(const Mending& mending) {
    return mending.merge.empty() ? "" : ", brought by the merge " + mending.merge.brief();
}

}  // namespace

std::string words_of(const Mending& mending, const Revision& bad, const Revision& mended) {
    const std::string ends = " after " + bad.brief() + " up to " + mended.brief();
    if (!mending.by) return "by a commit" + ends + ": " + mending.unlisted;
    const std::string commit = mending.revision.brief() + brought_words(mending);
    const std::string alone = mending.only ? "; it is the only commit in between" : "";
    switch (*mending.by) {
        case history::MendedBy::measured:
            return "by " + commit + ", built and measured with it and without";
        case history::MendedBy::revert:
            if (!mending.of_suspects) return "reverted by " + commit + ", as its text says" + alone;
            return "by " + commit + ", which says that it reverts the suspect " +
                   mending.reverts.brief() + alone;
        case history::MendedBy::fix:
            return "by " + commit + ", which says that it fixes the issue" + alone;
        case history::MendedBy::only: return "by " + commit + ", the only commit in between";
        case history::MendedBy::one_of: break;
    }
    if (mending.line_commits == 0) return "without a commit: both builds are of one revision";
    const auto count = std::to_string(mending.line_commits) + " commits" + ends;
    if (mending.candidates.empty()) return "by one of " + count;
    std::string left;
    for (const auto& one : mending.candidates) left += (left.empty() ? "" : ", ") + one.brief();
    return "as measured by one or more of " + left + ", among " + count;
}

}  // namespace vigil::service
