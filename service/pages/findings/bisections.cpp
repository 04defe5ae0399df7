#include <nlohmann/json.hpp>

#include "schema/model/state_sets.hpp"
#include "schema/text/numbers.hpp"
#include "service/api/common/handlers.hpp"
#include "service/pages/common/filters.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/findings/search_parts.hpp"
#include "service/pages/findings/search_view.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr Handler list_bisections = list_of<lists::bisections>;
constexpr Handler one_bisection = one_of<lists::bisections>;

bool is_at_work(const json& state) {
    return is_one<BisectionState>(state.get_ref<const std::string&>(), is_open);
}

/// What a search is for, in words.
std::string kind_words(const std::string& kind) {
    if (kind == "build") return "what broke the build";
    if (kind == "mending") return "what brought it back";
    if (kind == "asked") return "asked for by a person";
    if (kind == "nights") return "in which night it moved";
    return "what moved it";
}

std::string bisections_title(const json& items) {
    std::int64_t busy = 0;
    for (const auto& one : items) busy += is_at_work(one.at("state")) ? 1 : 0;
    if (busy > 0) return text::counted(busy, "search is", "searches are") + " at work";
    return items.empty() ? "No search" : "No search is at work";
}

json bisection_rows(const json& items, std::int64_t now_s) {
    auto rows = json::array();
    for (const auto& one : items) {
        rows.push_back(
            {{"id", one.at("id")},
             {"state", state_view(one.at("state").get<std::string>())},
             {"kind", kind_words(one.at("kind").get<std::string>())},
             {"project", name_words(one.at("project"))},
             {"good", short_revision(one.at("good_revision"))},
             {"bad", short_revision(one.at("bad_revision"))},
             {"begun", time_view(one.at("created_at_s"), now_s)},
             {"ended", time_view(one.at("ended_at_s"), now_s)}});
    }
    return rows;
}

std::vector<std::string> bisection_states() {
    std::vector<std::string> choices;
    for (const auto& [state, name] : enum_names<BisectionState>) choices.emplace_back(name);
    return choices;
}

json ids_view(const json& ids) {
    auto rows = json::array();
    for (const auto& id : ids) rows.push_back({{"id", id}});
    return rows;
}

json words_view(const json& text) {
    if (!text.is_string() || text.get_ref<const std::string&>().empty()) return nullptr;
    return {{"words", shown_text(text.get<std::string>(), 20'000)}};
}

/// The commits that it named, in words; empty where it named none.
std::string culprit_words(const json& bisection) {
    const auto named = named_commits(bisection);
    if (named.empty()) return "";
    if (named.size() > 1) return std::to_string(named.size()) + " commits are named";
    for (const auto& suspect : bisection.at("suspects")) {
        if (suspect.at("position") != *named.begin()) continue;
        const auto& inner = suspect.at("stands_for");
        return short_revision(inner.is_null() ? suspect.at("revision") : inner) +
               " is the one: " + name_words(suspect.at("subject"));
    }
    return "";
}

std::string bisection_title(const json& bisection, const json& standing) {
    const auto state = bisection.at("state").get<std::string>();
    if (state == "listing") return "The commits are being listed";
    if (state == "failed") return "The search failed";
    const auto commits = standing.at("commits").get<std::int64_t>();
    const auto left = standing.at("left").at("count").get<std::int64_t>();
    if (state == "done") {
        const auto culprit = culprit_words(bisection);
        if (!culprit.empty()) return culprit;
        return "The search ended without one commit";
    }
    if (const auto& verified = standing.at("verified"); !verified.empty()) {
        return short_revision(verified.front().at("last")) +
               " is verified; further changes are looked for";
    }
    return std::to_string(left) + " of " + text::counted(commits, "commit") + " " +
           (left == 1 ? "is" : "are") + " left";
}

}  // namespace

http::Response get_bisections_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(list_bisections, request, db, context);
    const auto asked = given_filters(request);
    const auto list = read_api(list_bisections, request, db, context, asked, {});
    const auto& items = list.at("items");
    json view = {
        {"title", bisections_title(items)},
        {"filter_form",
         filter_form(
             {choice_field("state", "State", bisection_states(), asked),
              choice_field("project", "Project", names_in(context.config.projects), asked)})},
        {"none", items.empty()},
        {"some", nullptr},
        {"next", next_view(request, list)}};
    if (!items.empty()) view["some"] = {{"rows", bisection_rows(items, context.now_s)}};
    return page_response(request, "bisections.html", std::move(view), Shows::list);
}

http::Response get_bisection_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(one_bisection, request, db, context);
    const auto bisection = read_api(one_bisection, request, db, context);
    const auto standing = read_api(get_bisection_standing, request, db, context);
    const auto parts = search_parts({request, db, context}, bisection, standing);
    const auto& pace = standing.at("probes");
    const auto& summary = standing.at("summary");
    json view = {
        {"title", bisection_title(bisection, standing)},
        {"id", bisection.at("id")},
        {"project", name_words(bisection.at("project"))},
        {"kind", kind_words(bisection.at("kind").get<std::string>())},
        {"state", state_view(bisection.at("state").get<std::string>())},
        {"begun", time_view(bisection.at("created_at_s"), context.now_s)},
        {"summary", words_view(summary)},
        {"range", parts.at("range")},
        {"not_listed", bisection.at("state") == "listing"},
        {"pace", pace},
        {"probes", parts.at("probes")},
        {"no_probes", parts.at("probes").is_null()},
        {"regressions", ids_view(bisection.at("regressions"))},
        {"inner", ids_view(bisection.at("inner"))},
        {"log_tail", words_view(bisection.at("log_tail"))}};
    if (!parts.at("posterior").empty()) {
        view["likely"] = {{"posterior", parts.at("posterior")}};
    }
    if (const auto& end_s = bisection.at("ended_at_s"); end_s.is_number()) {
        view["over"] = {{"ended", time_view(end_s, context.now_s)}};
    }
    if (const auto& due_s = member(pace, "expected_end_s"); due_s.is_number()) {
        view["due"] = {{"expected", time_view(due_s, context.now_s)}};
    }
    if (const auto& outer = bisection.at("outer"); outer.is_number()) {
        const auto& dependency = bisection.at("dependency");
        view["outer"] = {
            {"id", outer},
            {"what", dependency.is_null() ? "merge" : "commit"},
            {"merge", short_revision(bisection.at("merge"))},
            {"dependency", words_view(dependency)}};
    }
    std::optional<std::int64_t> nightly;
    if (bisection.at("nightly").is_number()) nightly = bisection.at("nightly").get<std::int64_t>();
    view["night"] = night_link({request, db, context}, nightly);
    return page_response(request, "bisection.html", std::move(view), Shows::thing);
}

}  // namespace vigil::service
