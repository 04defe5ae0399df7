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

bool is_listed(const json& commits) {
    return commits.at("state") == "listed";
}

std::string count_words(const json& commits) {
    return text::counted(commits.at("count").get<std::int64_t>(), "commit");
}

std::string said_of(const json& commits) {
    if (commits.at("state") == "listing") return "They are being listed.";
    if (!is_listed(commits)) {
        const auto why = commits.at("why").get<std::string>();
        return "None are listed: " + shown_text(why, most_of_a_reason) + ".";
    }
    if (commits.at("count") == 0) return "None: both nights are of one revision.";
    const auto left_out = commits.at("left_out").get<std::int64_t>();
    if (left_out == 0) return count_words(commits) + ", oldest first.";
    return count_words(commits) + ". The newest are listed, oldest first; " +
           text::counted(left_out, "older one", "older ones") + (left_out == 1 ? " is" : " are") +
           " left out.";
}

json link_of(const json& url) {
    return url.is_string() ? json{{"href", url}} : json();
}

json commit_row(const json& commit, std::int64_t now_s) {
    const auto revision = short_revision(commit.at("revision"));
    json row = {
        {"linked", link_of(commit.at("url"))},
        {"bare", nullptr},
        {"subject", name_words(commit.at("subject"))},
        {"author", name_words(commit.at("author"))},
        {"authored", time_view(commit.at("authored_at_s"), now_s)}};
    auto& place = row.at("linked").is_null() ? row["bare"] : row["linked"];
    place["revision"] = revision;
    return row;
}

}  // namespace

json night_commits_view(const json& commits, std::int64_t now_s) {
    json view = {
        {"template", "night_commits.html"},
        {"said", said_of(commits)},
        {"since", nullptr},
        {"range", link_of(commits.at("range"))},
        {"listed", nullptr}};
    if (const auto& since = commits.at("since"); since.is_object()) {
        view["since"] = {{"id", since.at("nightly")}, {"name", name_words(since.at("name"))}};
    }
    auto rows = json::array();
    for (const auto& one : commits.at("commits")) rows.push_back(commit_row(one, now_s));
    if (!rows.empty()) view["listed"] = {{"rows", std::move(rows)}};
    return view;
}

json brought_view(const json& commits) {
    if (!is_listed(commits)) return nullptr;
    return {{"words", count_words(commits)}, {"night", commits.at("nightly")}};
}

}  // namespace vigil::service
