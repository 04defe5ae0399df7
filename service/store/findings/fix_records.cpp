#include "service/store/findings/fix_records.hpp"

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
    Fix,
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

static void to_json(json& value, const FixCommits& commits) {
    value = {
        {"commits", commits.range.commits},
        {"line_commits", commits.range.line_commits},
        {"unread_commits", commits.range.unread_commits},
        {"rewritten", commits.range.rewritten},
        {"unlisted", commits.unlisted}};
}

static void from_json(const json& value, FixCommits& commits) {
    value.at("commits").get_to(commits.range.commits);
    value.at("line_commits").get_to(commits.range.line_commits);
    value.at("unread_commits").get_to(commits.range.unread_commits);
    value.at("rewritten").get_to(commits.range.rewritten);
    value.at("unlisted").get_to(commits.unlisted);
}

template <>
constexpr const char* column_of<FixCommits> = "mending.commits";
template <>
constexpr const char* column_of<Fix> = "mending.told";

template struct JsonColumn<FixCommits>;
template struct JsonColumn<Fix>;

namespace {

std::string brought_words(const Fix& fix) {
    return fix.merge.empty() ? "" : ", brought by the merge " + fix.merge.brief();
}

}  // namespace

std::string words_of(const Fix& fix, const Revision& bad, const Revision& fixed) {
    const std::string ends = " after " + bad.brief() + " up to " + fixed.brief();
    if (!fix.by) return "by a commit" + ends + ": " + fix.unlisted;
    const std::string commit = fix.revision.brief() + brought_words(fix);
    const std::string alone = fix.only ? "; it is the only commit in between" : "";
    switch (*fix.by) {
        case history::FixedBy::measured:
            return "by " + commit + ", built and measured with it and without";
        case history::FixedBy::revert:
            if (!fix.of_suspects) return "reverted by " + commit + ", as its text says" + alone;
            return "by " + commit + ", which says that it reverts the suspect " +
                   fix.reverts.brief() + alone;
        case history::FixedBy::fix:
            return "by " + commit + ", which says that it fixes the issue" + alone;
        case history::FixedBy::only: return "by " + commit + ", the only commit in between";
        case history::FixedBy::one_of: break;
    }
    if (fix.line_commits == 0) return "without a commit: both builds are of one revision";
    const auto count = std::to_string(fix.line_commits) + " commits" + ends;
    if (fix.candidates.empty()) return "by one of " + count;
    std::string left;
    for (const auto& one : fix.candidates) left += (left.empty() ? "" : ", ") + one.brief();
    return "as measured by one or more of " + left + ", among " + count;
}

}  // namespace vigil::service
