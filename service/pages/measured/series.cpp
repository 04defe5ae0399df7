#include <array>
#include <map>

#include <nlohmann/json.hpp>

#include "schema/model/metric_words.hpp"
#include "schema/model/state_sets.hpp"
#include "schema/text/nearest.hpp"
#include "schema/wire/json.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/rows/results.hpp"
#include "service/pages/common/api_change.hpp"
#include "service/pages/common/filters.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/measured/chart.hpp"
#include "service/pages/measured/series_table.hpp"
#include "service/pages/measured/suite_filters.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr const char* usual_nights = "90";

/// What is asked of the chart, in the address of its page.
struct RequestedChart {
    std::map<std::string, std::string> query;  ///< for the API
    ChartAxes axes;
};

/// What the page alone is asked; the API is asked the rest.
constexpr std::array of_page{"axis", "values", "table"};

std::string choice_of(
    const http::Request& request,
    const std::string& name,
    std::initializer_list<const char*> choices) {
    const auto found = request.query.find(name);
    if (found == request.query.end() || found->second.empty()) return *choices.begin();
    for (const auto* choice : choices) {
        if (found->second == choice) return choice;
    }
    throw Error(
        Errc::invalid_argument,
        "query parameter " + name + ": the choices are " +
            text::joined(std::vector<std::string>(choices.begin(), choices.end())));
}

RequestedChart requested_chart(const http::Request& request) {
    RequestedChart asked;
    asked.query = given_filters(request);
    for (const auto* name : of_page) asked.query.erase(name);
    const bool is_log = choice_of(request, "axis", {"linear", "log"}) == "log";
    const bool is_relative = choice_of(request, "values", {"absolute", "relative"}) == "relative";
    asked.axes.scale = is_log && !is_relative ? chart::AxisScale::log : chart::AxisScale::linear;
    asked.axes.values = is_relative ? ChartValues::relative : ChartValues::absolute;
    return asked;
}

/// "not confirmed"
std::string state_words(std::string state) {
    std::ranges::replace(state, '_', ' ');
    return state;
}

/// Links to the same page with another value of a part of its address.
json choice_links(
    const http::Request& request,
    const std::string& name,
    const std::string& here,
    const std::vector<std::pair<std::string, std::string>>& choices) {
    auto links = json::array();
    for (const auto& [value, words] : choices) {
        const bool is_usual = value == choices.front().first;
        links.push_back(
            {{"words", words},
             {"href", address_with(request, {{name, is_usual ? "" : value}, {"table", ""}})},
             {"here", here == value}});
    }
    return links;
}

json view_links(const http::Request& request, const RequestedChart& asked) {
    const auto given = asked.query.find("nights");
    const auto nights = given == asked.query.end() ? usual_nights : given->second;
    const bool is_relative = asked.axes.values == ChartValues::relative;
    auto groups = json::array();
    groups.push_back(
        {{"links",
          choice_links(
              request,
              "nights",
              nights,
              {{usual_nights, "90 nights"}, {"30", "30"}, {"365", "365"}, {"1100", "1100"}})}});
    groups.push_back(
        {{"links",
          choice_links(
              request,
              "values",
              is_relative ? "relative" : "absolute",
              {{"absolute", "values"}, {"relative", "change"}})}});
    if (is_relative) return groups;
    groups.push_back(
        {{"links",
          choice_links(
              request,
              "axis",
              asked.axes.scale == chart::AxisScale::log ? "log" : "linear",
              {{"linear", "linear"}, {"log", "log"}})}});
    return groups;
}

/// The form that lays other series over this one keeps the rest of the address.
json over_form(const http::Request& request) {
    auto kept = json::array();
    std::string over;
    for (const auto& [name, value] : given_filters(request)) {
        if (name == "with") {
            over = value;
        } else {
            kept.push_back({{"name", name}, {"value", value}});
        }
    }
    return {{"kept", kept}, {"over", over}};
}

/// What people told of the series, and the form for it; null for who may not.
/// @param nights  which the table shows
json missed_view(const Asker& asker, const json& nights) {
    const auto& request = asker.request;
    const auto key = form_key(request.headers);
    const bool may = !key.empty() && request.caller && request.caller->scopes.may(Scope::triage);
    auto told = json::array();
    for (const auto& one :
         asker.rows<ListedMissed>({{"series", request.parameters.at("id")}, {"limit", "20"}})) {
        json row = {
            {"night", name_words(one.night)},
            {"nightly", one.nightly},
            {"series", one.series},
            {"by", name_words(one.by)},
            {"state", state_words(one.state)},
            {"back", nullptr},
            {"commit", nullptr},
            {"link", nullptr},
            {"message", shown_text(one.message, 300)}};
        if (may && is_one<MissedState>(one.state, may_take_back)) {
            row["back"] = {{"key", key}, {"missed", one.id}};
        }
        if (one.commit) row["commit"] = {{"brief", Revision(*one.commit).brief()}};
        if (one.regression) row["link"] = {{"id", *one.regression}};
        told.push_back(std::move(row));
    }
    json view = {{"told", nullptr}, {"form", nullptr}};
    if (!told.empty()) view["told"] = {{"one", std::move(told)}};
    auto choices = json::array();
    for (const auto& night : nights) {
        choices.push_back({{"id", night.at("id")}, {"name", night.at("name")}});
    }
    if (may && !choices.empty()) {
        view["form"] = {{"key", key}, {"here", request.path}, {"night", std::move(choices)}};
    }
    return view;
}

http::Response series_data(
    const http::Request& request, Database& db, const HandlerContext& context) {
    auto asked = request;
    for (const auto* name : of_page) asked.query.erase(name);
    const auto format = asked.query.find("format");
    if (format == asked.query.end() || format->second == "json") {
        return data_response(get_series_chart, asked, db, context);
    }
    for (const auto* name : {"nights", "nightly", "with"}) asked.query.erase(name);
    asked.query.emplace("limit", "500");
    return data_response(list_series_nights, asked, db, context);
}

}  // namespace

http::Response get_all_series_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(ListedSeries::list, request, db, context);
    const auto asked = given_filters(request);
    const auto list = Asker{request, db, context}.page<ListedSeries>(asked);
    auto rows = json::array();
    for (const auto& one : list.rows) {
        rows.push_back(
            {{"id", one.id},
             {"project", name_words(one.project)},
             {"benchmark", benchmark_words(one)},
             {"variant", name_words(one.variant)},
             {"machine_class", name_words(one.machine_class)},
             {"metric", metric_words(one.metric)},
             {"unit", name_words(one.unit)}});
    }
    const bool none = rows.empty();
    json view = {
        {"title", "Series"},
        {"tabs", suite_tabs("/series", "")},
        {"filter_form",
         filter_form(
             {choice_field("project", "Project", names_in(context.config.projects), asked),
              choice_field(
                  "machine_class",
                  "Machine class",
                  names_in(context.config.machine_classes),
                  asked),
              metric_field(asked),
              text_field("benchmark", "Benchmark", asked),
              text_field("variant", "Variant", asked)})},
        {"one", std::move(rows)},
        {"none", none},
        {"next", next_view(request, list.next_cursor)}};
    return page_response(request, "all_series.html", std::move(view), Shows::list);
}

http::Response get_series_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return series_data(request, db, context);
    auto asked = requested_chart(request);
    const auto loaded = load_series_chart(
        api_request(request, asked.query, request.parameters),
        db,
        context,
        table_requested(request));
    const ToldChart chart(loaded);
    asked.axes = shown_axes(chart, asked.axes);
    auto plot = chart_view(chart, asked.axes);
    const auto& facts = chart.facts;
    json view = {
        {"title", series_words(facts)},
        {"project", name_words(facts.project)},
        {"better",
         !facts.direction                         ? "not judged: nothing says which way"
         : *facts.direction == "higher_is_better" ? "higher"
                                                  : "lower"},
        {"summary", chart_words(chart)},
        {"judging", facts.judging ? "; " + name_words(facts.judging) : ""},
        {"has_chart", !plot.is_null()},
        {"chart", std::move(plot)},
        {"views", view_links(request, asked)},
        {"form", over_form(request)},
        {"missed", nullptr},
        {"nights", night_table(request, chart)},
        {"next", nullptr}};
    view["missed"] = missed_view({request, db, context}, view.at("nights").at("rows"));
    if (facts.older) {
        const auto older = std::to_string(*facts.older);
        view["next"] = {{"href", address_with(request, {{"nightly", older}, {"table", ""}})}};
    }
    return page_response(request, "series.html", std::move(view), Shows::list);
}

http::Response post_missed_take_back_form(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const auto taken = change_by_api("/api/v1/missed/{id}", request, db, context);
    return see_other(
        "/series/" + wire::parse_json(taken.body, "an answer of ours").at("series").dump());
}

}  // namespace vigil::service
