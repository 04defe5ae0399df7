#include "service/pages/night_commits.hpp"

#include <string>

#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t most_of_a_reason = 500;

std::string count_words(const NightCommitRange& range) {
    return text::counted(range.count, "commit");
}

std::string said_of(const NightCommitRange& range) {
    if (range.state == "listing") return "They are being listed.";
    if (!range.is_listed())
        return "None are listed: " + shown_text(range.none, most_of_a_reason) + ".";
    if (range.count == 0) return "None: both nights are of one revision.";
    const auto left_out = range.left_out();
    if (left_out == 0) return count_words(range) + ", oldest first.";
    return count_words(range) + ". The newest are listed, oldest first; " +
           text::counted(left_out, "older one", "older ones") + (left_out == 1 ? " is" : " are") +
           " left out.";
}

json link_of(const std::string& url) {
    return url.empty() ? json() : json{{"href", url}};
}

json commit_row(const NightCommit& commit, const Links& links, std::int64_t now_s) {
    json row = {
        {"linked", link_of(commit_url(links, commit.revision))},
        {"bare", nullptr},
        {"subject", name_words(commit.subject)},
        {"author", name_words(commit.author)},
        {"authored", time_view(commit.authored_at_s, now_s)}};
    auto& place = row.at("linked").is_null() ? row["bare"] : row["linked"];
    place["revision"] = commit.revision.brief();
    return row;
}

}  // namespace

json night_commits_view(const NightCommitRange& range, std::int64_t now_s) {
    json view = {
        {"template", "night_commits.html"},
        {"said", said_of(range)},
        {"since", nullptr},
        {"range", link_of(range.url)},
        {"listed", nullptr}};
    if (const auto& since = range.since) {
        view["since"] = {{"id", since->id.value}, {"name", name_words(since->name)}};
    }
    auto rows = json::array();
    for (const auto& one : range.commits) rows.push_back(commit_row(one, range.links, now_s));
    if (!rows.empty()) view["listed"] = {{"rows", std::move(rows)}};
    return view;
}

json brought_view(const NightCommitRange& range) {
    if (!range.is_listed()) return nullptr;
    return {{"words", count_words(range)}, {"night", range.nightly.value}};
}

}  // namespace vigil::service
