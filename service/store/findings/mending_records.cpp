#include "service/store/findings/mending_records.hpp"

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "service/store/read_column.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

Revision revision_from(const json& value, const char* key) {
    const auto hash = value.at(key).get<std::string>();
    return hash.empty() ? Revision{} : Revision(hash);
}

json to_json(const history::ClaimingCommit& commit) {
    auto fixes = json::array();
    for (const auto& issue : commit.claims.fixes) {
        fixes.push_back({{"place", issue.place}, {"number", issue.number}});
    }
    return {
        {"revision", commit.revision.str()},
        {"merge", commit.merge.str()},
        {"subject", commit.subject},
        {"author", commit.author},
        {"reverts", commit.claims.reverts},
        {"fixes", fixes}};
}

history::ClaimingCommit parse_commit(const json& value) {
    history::ClaimingCommit commit;
    commit.revision = revision_from(value, "revision");
    commit.merge = revision_from(value, "merge");
    commit.subject = value.at("subject").get<std::string>();
    commit.author = value.at("author").get<std::string>();
    commit.claims.reverts = value.at("reverts").get<std::vector<std::string>>();
    for (const auto& issue : value.at("fixes")) {
        commit.claims.fixes.push_back(
            {issue.at("place").get<std::string>(), issue.at("number").get<std::int64_t>()});
    }
    return commit;
}

std::string brought_words(const Mending& mending) {
    return mending.merge.empty() ? "" : ", brought by the merge " + mending.merge.brief();
}

}  // namespace

std::string to_text(const MendingCommits& commits) {
    auto all = json::array();
    for (const auto& commit : commits.range.commits) all.push_back(to_json(commit));
    const json value = {
        {"commits", all},
        {"line_commits", commits.range.line_commits},
        {"unread_commits", commits.range.unread_commits},
        {"rewritten", commits.range.rewritten},
        {"unlisted", commits.unlisted}};
    return wire::write_json(value);
}

MendingCommits parse_mending_commits(std::string_view text) {
    return read_column(text, "mending.commits", [](const json& value) {
        MendingCommits read;
        for (const auto& commit : value.at("commits")) {
            read.range.commits.push_back(parse_commit(commit));
        }
        read.range.line_commits = value.at("line_commits").get<std::int64_t>();
        read.range.unread_commits = value.at("unread_commits").get<std::int64_t>();
        read.range.rewritten = value.at("rewritten").get<bool>();
        read.unlisted = value.at("unlisted").get<std::string>();
        return read;
    });
}

std::string to_text(const Mending& mending) {
    const json value = {
        {"by", mending.by ? json(to_string(*mending.by)) : json()},
        {"revision", mending.revision.str()},
        {"subject", mending.subject},
        {"author", mending.author},
        {"merge", mending.merge.str()},
        {"merge_subject", mending.merge_subject},
        {"reverts", mending.reverts.str()},
        {"of_suspects", mending.of_suspects},
        {"others", mending.others},
        {"only", mending.only},
        {"line_commits", mending.line_commits},
        {"unread_commits", mending.unread_commits},
        {"rewritten", mending.rewritten},
        {"unlisted", mending.unlisted}};
    return wire::write_json(value);
}

Mending parse_mending(std::string_view text) {
    return read_column(text, "mending.told", [](const json& value) {
        Mending read;
        if (!value.at("by").is_null()) {
            read.by = parse_enum<history::MendedBy>(value.at("by").get<std::string>());
        }
        read.revision = revision_from(value, "revision");
        read.subject = value.at("subject").get<std::string>();
        read.author = value.at("author").get<std::string>();
        read.merge = revision_from(value, "merge");
        read.merge_subject = value.at("merge_subject").get<std::string>();
        read.reverts = revision_from(value, "reverts");
        read.of_suspects = value.at("of_suspects").get<bool>();
        read.others = value.at("others").get<std::int64_t>();
        read.only = value.at("only").get<bool>();
        read.line_commits = value.at("line_commits").get<std::int64_t>();
        read.unread_commits = value.at("unread_commits").get<std::int64_t>();
        read.rewritten = value.at("rewritten").get<bool>();
        read.unlisted = value.at("unlisted").get<std::string>();
        return read;
    });
}

std::string words_of(const Mending& mending, const Revision& bad, const Revision& mended) {
    const std::string ends = " after " + bad.brief() + " up to " + mended.brief();
    if (!mending.by) return "by a commit" + ends + ": " + mending.unlisted;
    const std::string commit = mending.revision.brief() + brought_words(mending);
    const std::string alone = mending.only ? "; it is the only commit in between" : "";
    switch (*mending.by) {
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
    return "by one of " + std::to_string(mending.line_commits) + " commits" + ends;
}

}  // namespace vigil::service
