#include <nlohmann/json.hpp>

#include "schema/model/state_sets.hpp"
#include "schema/text/numbers.hpp"
#include "service/pages/common/filters.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/findings/search_parts.hpp"
#include "service/pages/findings/search_view.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

/// What a search is for, in words.
std::string kind_words(const std::string& kind) {
    if (kind == "build") return "what broke the build";
    if (kind == "mending") return "what brought it back";
    if (kind == "asked") return "asked for by a person";
    if (kind == "nights") return "in which night it moved";
    return "what moved it";
}

std::string bisections_title(const std::vector<ListedSearch>& searches) {
    const auto busy = std::ranges::count_if(searches, &ListedSearch::is_at_work);
    if (busy > 0) return text::counted(busy, "search is", "searches are") + " at work";
    return searches.empty() ? "No search" : "No search is at work";
}

json bisection_rows(const std::vector<ListedSearch>& searches, std::int64_t now_s) {
    auto rows = json::array();
    for (const auto& one : searches) {
        rows.push_back(
            {{"id", one.id},
             {"state", state_view(one.state)},
             {"kind", kind_words(one.kind)},
             {"project", name_words(one.project)},
             {"good", short_revision(one.good_revision)},
             {"bad", short_revision(one.bad_revision)},
             {"begun", time_view(one.created_at_s, now_s)},
             {"ended", time_view(one.ended_at_s, now_s)}});
    }
    return rows;
}

std::vector<std::string> bisection_states() {
    std::vector<std::string> choices;
    for (const auto& [state, name] : enum_names<BisectionState>) choices.emplace_back(name);
    return choices;
}

json ids_view(const std::vector<std::int64_t>& ids) {
    auto rows = json::array();
    for (const auto id : ids) rows.push_back({{"id", id}});
    return rows;
}

json words_view(const std::string& text) {
    if (text.empty()) return nullptr;
    return {{"words", shown_text(text, 20'000)}};
}

/// The commits that it named, in words; empty where it named none.
std::string culprit_words(const WholeSearch& search) {
    const auto named = search.named();
    if (named.empty()) return "";
    if (named.size() > 1) return std::to_string(named.size()) + " commits are named";
    const auto* suspect = search.suspect_at(*named.begin());
    if (suspect == nullptr) return "";
    return short_revision(suspect->own()) + " is the one: " + name_words(suspect->subject);
}

std::string bisection_title(const WholeSearch& search, const SearchStanding& standing) {
    switch (standing.state) {
        case BisectionState::listing: return "The commits are being listed";
        case BisectionState::failed: return "The search failed";
        case BisectionState::done: {
            const auto culprit = culprit_words(search);
            return culprit.empty() ? "The search ended without one commit" : culprit;
        }
        default: break;
    }
    if (const auto& verified = standing.verified; !verified.empty()) {
        return verified.front().last.brief() + " is verified; further changes are looked for";
    }
    const auto left = standing.left.count;
    return std::to_string(left) + " of " + text::counted(standing.commits, "commit") + " " +
           (left == 1 ? "is" : "are") + " left";
}

/// The probes so far, and about when it ends.
json pace_view(const std::optional<SearchPace>& pace) {
    if (!pace) return nullptr;
    return {{"open", pace->open}, {"ended", pace->ended}, {"left", pace->left}};
}

}  // namespace

http::Response get_bisections_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(ListedSearch::list, request, db, context);
    const auto asked = given_filters(request);
    const auto list = Asker{request, db, context}.page<ListedSearch>(asked);
    json view = {
        {"title", bisections_title(list.rows)},
        {"filter_form",
         filter_form(
             {choice_field("state", "State", bisection_states(), asked),
              choice_field("project", "Project", names_in(context.config.projects), asked)})},
        {"none", list.rows.empty()},
        {"some", nullptr},
        {"next", next_view(request, list.next_cursor)}};
    if (!list.rows.empty()) view["some"] = {{"rows", bisection_rows(list.rows, context.now_s)}};
    return page_response(request, "bisections.html", std::move(view), Shows::list);
}

http::Response get_bisection_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(WholeSearch::one, request, db, context);
    const Asker asker{request, db, context};
    const auto search = asker.named<WholeSearch>();
    const auto standing = load_standing(db, context, BisectionId{search.id});
    auto view = search_parts(asker, search, standing);
    view["title"] = bisection_title(search, standing);
    view["id"] = search.id;
    view["project"] = name_words(search.project);
    view["kind"] = kind_words(search.kind);
    view["state"] = state_view(search.state);
    view["begun"] = time_view(search.created_at_s, context.now_s);
    view["summary"] = words_view(standing.summary);
    view["not_listed"] = standing.state == BisectionState::listing;
    view["pace"] = pace_view(standing.pace);
    view["no_probes"] = view.at("probes").is_null();
    view["regressions"] = ids_view(search.regressions);
    view["inner"] = ids_view(search.inner);
    view["log_tail"] = words_view(search.log_tail.value_or(""));
    if (search.ended_at_s) view["over"] = {{"ended", time_view(search.ended_at_s, context.now_s)}};
    if (standing.pace && standing.pace->expected_end_s) {
        view["due"] = {{"expected", time_view(standing.pace->expected_end_s, context.now_s)}};
    }
    if (search.outer) {
        view["outer"] = {
            {"id", *search.outer},
            {"what", search.dependency ? "commit" : "merge"},
            {"merge", short_revision(search.merge.value_or(""))},
            {"dependency", words_view(search.dependency.value_or(""))}};
    }
    view["night"] = night_link(asker, search.nightly);
    return page_response(request, "bisection.html", std::move(view), Shows::thing);
}

}  // namespace vigil::service
