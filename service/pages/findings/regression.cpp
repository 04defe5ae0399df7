#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/model/by_hand.hpp"
#include "schema/model/error.hpp"
#include "schema/model/states.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/sizes.hpp"
#include "service/pages/common/cookie.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/findings/markdown.hpp"
#include "service/pages/findings/regression_rows.hpp"
#include "service/pages/findings/search_parts.hpp"
#include "service/pages/findings/search_view.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

struct Answer {
    RegressionState to;
    std::string_view label;
    std::string_view meaning;
};

constexpr Answer answers[] = {
    {RegressionState::acknowledged, "Acknowledge", "somebody looks at it"},
    {RegressionState::accepted,
     "Accept",
     "it is known and wanted: the new level counts from now on"},
    {RegressionState::refuted, "Refute", "it is no regression, or not this commit's"},
    {RegressionState::reported, "Reopen", "the answer is taken back"}};

json series_rows(const json& regression) {
    auto rows = json::array();
    for (const auto& one : regression.at("series")) {
        const auto& size = one.at("size");
        rows.push_back(
            {{"series", one.at("series")},
             {"name", series_words(one)},
             {"before", quantity_words(member(size, "before"), one.at("unit"))},
             {"after", quantity_words(member(size, "after"), one.at("unit"))},
             {"change", change_words(one)},
             {"today", today_view(one)},
             {"is_back", !one.at("recovered_nightly").is_null()}});
    }
    return rows;
}

json event_rows(
    const http::Request& request, Database& db, const HandlerContext& context, const json& id) {
    const auto list = read_api(
        list_of<lists::events>,
        request,
        db,
        context,
        {{"subject", "regression/" + id.dump()}, {"limit", "100"}},
        {});
    auto rows = json::array();
    for (const auto& event : list.at("items")) {
        const auto message = event.at("message").get<std::string>();
        const auto kind = event.at("kind").get<std::string>();
        rows.push_back(
            {{"at", time_view(event.at("at_s"), context.now_s)},
             {"message", shown_text(message.empty() ? kind : message, 1000)}});
    }
    return rows;
}

/// The newest text that was filed of it, without what the page has itself; null where there is none
/// yet.
/// @param shown  headings of the report's sections that the page shows
json report_view(
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    const json& all,
    const std::vector<std::string_view>& shown) {
    if (all.empty()) return nullptr;
    const auto id = all.at(0).at("id").dump();
    const auto report = read_api(one_of<lists::reports>, request, db, context, {}, {{"id", id}});
    const auto body = report.at("body").get<std::string>();
    const auto parts = split_verdict(body);
    return {
        {"version", report.at("version")},
        {"at", time_view(report.at("created_at_s"), context.now_s)},
        {"verdict", markdown_view(parts.verdict)},
        {"id", all.at(0).at("id")},
        {"body", markdown_view(without_sections(parts.rest, shown))}};
}

/// How its series lie along the commits, the largest change first; null where nothing was searched.
json levels_of(const Asker& asker, const json& regression) {
    static constexpr std::size_t most_plots = 4;
    if (regression.at("bisection").is_null()) return nullptr;
    const auto all = read_api(get_regression_levels, asker.request, asker.db, asker.context);
    auto plots = json::array();
    for (const auto& one : all.at("series")) {
        if (plots.size() == most_plots) break;
        std::string name;
        for (const auto& series : regression.at("series")) {
            if (series.at("series") == one.at("series")) name = series_words(series);
        }
        auto plot = levels_view(one, all.at("commits").get<int>(), regression.at("culprit"), name);
        if (!plot.is_null()) plots.push_back(std::move(plot));
    }
    if (plots.empty()) return nullptr;
    return {{"levels", std::move(plots)}};
}

/// The search that it is of: while it goes on, with how likely each commit is.
json search_of(const Asker& asker, const json& regression) {
    const auto& id = regression.at("bisection");
    if (id.is_null()) return nullptr;
    const auto ask = [&](Handler handler) {
        return read_api(handler, asker.request, asker.db, asker.context, {}, {{"id", id.dump()}});
    };
    const auto bisection = ask(one_of<lists::bisections>);
    const auto standing = ask(get_bisection_standing);
    auto parts = search_parts(asker, bisection, standing);
    json view = {
        {"id", id},
        {"summary", shown_text(standing.at("summary").get<std::string>(), 500)},
        {"range", std::move(parts.at("range"))},
        {"probes", std::move(parts.at("probes"))},
        {"likely", nullptr}};
    if (!parts.at("posterior").empty()) view["likely"] = {{"posterior", parts.at("posterior")}};
    return view;
}

/// What the reader may do with it; null where that is nothing.
json answer_view(const http::Request& request, RegressionState state) {
    const auto key = form_key(request.headers);
    if (key.empty() || !request.caller || !request.caller->scopes.may(Scope::triage))
        return nullptr;
    auto choices = json::array();
    for (const auto& answer : answers) {
        if (!may_move_by_hand(state, answer.to)) continue;
        choices.push_back(
            {{"to", to_string(answer.to)}, {"label", answer.label}, {"meaning", answer.meaning}});
    }
    json view = {
        {"key", key}, {"here", request.path}, {"state", nullptr}, {"mute", is_open(state)}};
    if (!choices.empty()) view["state"] = {{"choice", choices}};
    return view;
}

/// What people told of it, because it was not found.
json missed_views(const Asker& asker, const json& ids) {
    auto views = json::array();
    for (const auto& id : ids) {
        const auto one = read_api(
            one_of<lists::missed>, asker.request, asker.db, asker.context, {}, {{"id", id.dump()}});
        json view = {
            {"by", name_words(one.at("by"))},
            {"night", name_words(one.at("night"))},
            {"commit", nullptr}};
        if (one.at("commit").is_string()) {
            const Revision believed(one.at("commit").get<std::string>());
            view["commit"] = {{"brief", believed.brief()}};
        }
        views.push_back(std::move(view));
    }
    return views;
}

json reason_view(const json& reason) {
    if (!reason.is_string() || reason.get_ref<const std::string&>().empty()) return nullptr;
    return {{"reason", shown_text(reason.get<std::string>(), 2000)}};
}

json link_view(const json& href) {
    if (!href.is_string()) return nullptr;
    return {{"href", href}};
}

json last_answer(const json& answer, std::int64_t now_s) {
    if (!answer.is_object()) return nullptr;
    return {
        {"by", name_words(member(answer, "by"))},
        {"reason", shown_text(member(answer, "reason").get<std::string>(), 2000)},
        {"at", time_view(member(answer, "at_s"), now_s)}};
}

/// A part of the page that rows of the search give. Where they cannot be read, the page goes on
/// without it, and says why.
template <class Make>
json part_of(json& unreadable, const char* part, const Make& make) {
    try {
        return make();
    } catch (const Error& error) {
        unreadable.push_back({{"part", part}, {"why", shown_text(error.what(), 500)}});
        return nullptr;
    }
}

}  // namespace

http::Response get_regression_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(get_regression, request, db, context);
    const auto regression = read_api(get_regression, request, db, context);
    const auto row = regression_row(regression, context);
    const auto id = regression.at("id");
    const auto state = parse_enum<RegressionState>(regression.at("state").get<std::string>());
    const auto& reports = regression.at("reports");
    const auto& links = regression.at("links");
    const auto number = "Regression " + id.dump();
    const Asker asker{request, db, context};
    auto unreadable = json::array();
    auto moved = part_of(unreadable, "The levels", [&] { return levels_of(asker, regression); });
    auto search = part_of(unreadable, "The search", [&] { return search_of(asker, regression); });
    std::vector<std::string_view> shown{"Levels along the commits"};  // a tracker draws its source
    if (search.is_object()) shown.push_back("The search");
    json view = {
        {"title", reports.empty() ? number : name_words(reports.at(0).at("title"))},
        {"number", number},
        {"row", row},
        {"nobody", regression.at("assigned").is_null()},
        {"night", night_link(request, db, context, regression.at("nightly"))},
        {"missed", missed_views(asker, regression.at("missed"))},
        {"why", reason_view(member(regression, "reason"))},
        {"commit_link", link_view(links.at("culprit"))},
        {"range_link", link_view(links.at("range"))},
        {"issue_link", link_view(links.at("issue"))},
        {"answered", last_answer(member(regression, "answer"), context.now_s)},
        {"events", {{"event", event_rows(request, db, context, id)}}},
        {"moved", std::move(moved)},
        {"search", std::move(search)},
        {"unreadable", std::move(unreadable)},
        {"report", report_view(request, db, context, reports, shown)},
        {"answers", answer_view(request, state)}};
    if (!reports.empty()) {  // it has them
        for (const char* part : {"culprit", "range"}) view["row"][part] = nullptr;
        view["why"] = nullptr;
    } else {
        view["no_report"] = {{"worst", row.at("worst")}};
        auto sizes = series_rows(regression);  // one that joined another has none
        if (!sizes.empty()) view["sizes"] = {{"series", std::move(sizes)}};
    }
    if (view.at("answers").is_null()) {
        view["may_not_answer"] = {
            {"sign_in", "/login" + http::query_string({{"next", request.path}})}};
    }
    return page_response(request, "regression.html", std::move(view), Shows::thing);
}

}  // namespace vigil::service
