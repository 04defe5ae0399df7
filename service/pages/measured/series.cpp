#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/metric_words.hpp"
#include "schema/model/states.hpp"
#include "schema/text/nearest.hpp"
#include "schema/text/numbers.hpp"
#include "service/api/common/handlers.hpp"
#include "service/pages/common/filters.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/measured/chart.hpp"
#include "service/pages/measured/suite_filters.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr const char* usual_nights = "90";
constexpr Handler all_series = list_of<lists::series>;

/// What is asked of the chart, in the address of its page.
struct AskedChart {
    std::map<std::string, std::string> query;  ///< for the API
    ChartAxes axes;
    std::string other;  ///< id of the series that lies over it; empty: none
};

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

AskedChart asked_chart(const http::Request& request) {
    AskedChart asked;
    for (const auto& [name, value] : given_filters(request)) {
        if (name == "with") {
            asked.other = value;
        } else if (name != "axis" && name != "values") {
            asked.query.emplace(name, value);
        }
    }
    const bool is_log = choice_of(request, "axis", {"linear", "log"}) == "log";
    const bool is_relative = choice_of(request, "values", {"absolute", "relative"}) == "relative";
    asked.axes.scale = is_log && !is_relative ? AxisScale::log : AxisScale::linear;
    asked.axes.values = is_relative ? ChartValues::relative : ChartValues::absolute;
    return asked;
}

std::string joined_names(const json& names) {
    std::string words;
    for (const auto& name : names) words += (words.empty() ? "" : ", ") + name_words(name);
    return words;
}

/// What happened in each night, by its id: tags of its row.
std::map<std::int64_t, json> tags_of(const json& chart) {
    std::map<std::int64_t, json> tags;
    const auto add = [&](const json& thing, const char* key, json tag) {
        auto& all = tags[thing.at(key).get<std::int64_t>()];
        if (all.is_null()) all = json::array();
        all.push_back(std::move(tag));
    };
    for (const auto& one : chart.at("regressions")) {
        const auto id = one.at("regression").dump();
        add(one,
            "nightly",
            {{"bad", true},
             {"link", {{"href", "/regressions/" + id}, {"words", "regression " + id}}}});
        if (one.at("recovered_nightly").is_null()) continue;
        add(one, "recovered_nightly", {{"plain", {{"words", "regression " + id + " recovered"}}}});
    }
    for (const auto& one : chart.at("sessions")) {
        const auto verdict = member(one, "verdict");
        auto words = verdict.is_string() ? verdict.get<std::string>() : "looked different";
        const auto change = percent_words(member(one.at("confirmed"), "change_ratio"));
        const bool is_measured = member(one.at("confirmed"), "runs_before").is_number();
        if (is_measured && !change.empty()) words += " " + change;
        add(one,
            "nightly",
            {{"plain",
              {{"words", words}, {"why", shown_text(one.at("reason").get<std::string>(), 300)}}}});
    }
    for (const auto& one : chart.at("baselines")) {
        const bool is_pinned = one.at("kind") == "pinned";
        add(one,
            "nightly",
            {{"plain",
              {{"words", is_pinned ? "pinned" : "a level begins"},
               {"why", shown_text(one.at("reason").get<std::string>(), 300)}}}});
    }
    for (const auto& one : chart.at("environments")) {
        std::string why = name_words(one.at("worker"));
        for (const auto& fact : one.at("changed")) {
            why += "; " + name_words(fact.at("fact")) + ": " + name_words(fact.at("before")) +
                   " to " + name_words(fact.at("after"));
        }
        add(one,
            "nightly",
            {{"plain", {{"words", "environment changed"}, {"why", shown_text(why, 600)}}}});
    }
    return tags;
}

json commits_view(const json& commits) {
    if (commits.is_null()) return nullptr;
    if (commits.at("from") == commits.at("to")) return {{"same", true}};
    if (commits.at("range").is_null()) return nullptr;
    return {{"between", {{"href", commits.at("range")}}}};
}

json night_row(const json& night, const json& chart) {
    const auto& unit = chart.at("unit");
    json row = {
        {"id", night.at("nightly")},
        {"series", chart.at("id")},
        {"name", name_words(night.at("night"))},
        {"revision", short_revision(night.at("revision"))},
        {"value", quantity_words(night.at("value"), unit)},
        {"change", ""},
        {"interval", ""},
        {"runs", night.at("runs").size()},
        {"left_out", night.at("left_out").size()},
        {"has_left_out", !night.at("left_out").empty()},
        {"workers", joined_names(night.at("workers"))},
        {"commits", commits_view(night.at("commits"))}};
    if (!night.at("value").is_number()) return row;
    const auto low = night.at("low").get<double>();
    const auto high = night.at("high").get<double>();
    if (high > low) {
        row["interval"] = quantity_words(low, unit) + " to " + quantity_words(high, unit);
    }
    if (night.at("base").is_number()) {
        const auto direction = parse_enum<Direction>(chart.at("direction").get<std::string>());
        row["change"] = text::percent(change_ratio(
            night.at("base").get<double>(), night.at("value").get<double>(), direction));
    }
    return row;
}

json night_rows(const json& chart) {
    auto rows = json::array();
    const auto tags = tags_of(chart);
    const auto& nights = chart.at("nights");
    for (auto night = nights.rbegin(); night != nights.rend(); ++night) {
        auto& row = rows.emplace_back(night_row(*night, chart));
        const auto own = tags.find(night->at("nightly").get<std::int64_t>());
        if (own != tags.end()) row["tags"] = own->second;
    }
    return rows;
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
             {"href", address_with(request, {{name, is_usual ? "" : value}})},
             {"here", here == value}});
    }
    return links;
}

json view_links(const http::Request& request, const AskedChart& asked) {
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
              asked.axes.scale == AxisScale::log ? "log" : "linear",
              {{"linear", "linear"}, {"log", "log"}})}});
    return groups;
}

/// The form that lays another series over this one keeps the rest of the address.
json over_form(const http::Request& request, const std::string& other) {
    auto kept = json::array();
    for (const auto& [name, value] : given_filters(request)) {
        if (name != "with") kept.push_back({{"name", name}, {"value", value}});
    }
    return {{"kept", kept}, {"other", other}};
}

json read_chart(
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    std::map<std::string, std::string> query,
    const std::string& series) {
    return read_api(get_series_chart, request, db, context, query, {{"id", series}});
}

http::Response series_data(
    const http::Request& request, Database& db, const HandlerContext& context) {
    auto asked = request;
    for (const auto* name : {"with", "axis", "values"}) asked.query.erase(name);
    const auto format = asked.query.find("format");
    if (format == asked.query.end() || format->second == "json") {
        return data_response(get_series_chart, asked, db, context);
    }
    for (const auto* name : {"nights", "nightly"}) asked.query.erase(name);
    asked.query.emplace("limit", "500");
    return data_response(list_series_nights, asked, db, context);
}

}  // namespace

http::Response get_all_series_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(all_series, request, db, context);
    const auto asked = given_filters(request);
    const auto list = read_api(all_series, request, db, context, asked, {});
    auto rows = json::array();
    for (const auto& one : list.at("items")) {
        rows.push_back(
            {{"id", one.at("id")},
             {"project", name_words(one.at("project"))},
             {"benchmark", name_words(one.at("benchmark"))},
             {"variant", name_words(one.at("variant"))},
             {"machine_class", name_words(one.at("machine_class"))},
             {"metric", metric_words(one.at("metric").get<std::string>())},
             {"unit", name_words(one.at("unit"))}});
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
        {"next", next_view(request, list)}};
    return page_response(request, "all_series.html", std::move(view), Shows::list);
}

http::Response get_series_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return series_data(request, db, context);
    auto asked = asked_chart(request);
    const auto chart = read_chart(request, db, context, asked.query, request.parameters.at("id"));
    json other;
    if (!asked.other.empty()) {
        other = read_chart(request, db, context, asked.query, asked.other);
        // What has another unit cannot share an axis.
        if (other.at("unit") != chart.at("unit"))
            asked.axes = {AxisScale::linear, ChartValues::relative};
    }
    auto plot = chart_view(chart, other, asked.axes);
    if (plot.is_object()) {
        plot["source"] = address_with(request, {{"format", "json"}});
        if (other.is_object()) plot["other"]["name"] = series_words(other);
    }
    auto rows = night_rows(chart);
    const bool none = rows.empty();
    json view = {
        {"title", series_words(chart)},
        {"project", name_words(chart.at("project"))},
        {"better", chart.at("direction") == "higher_is_better" ? "higher" : "lower"},
        {"summary", chart_words(chart)},
        {"has_chart", !plot.is_null()},
        {"chart", std::move(plot)},
        {"views", view_links(request, asked)},
        {"over", over_form(request, asked.other)},
        {"nights", std::move(rows)},
        {"none", none},
        {"next", nullptr}};
    if (chart.at("older").is_number()) {
        view["next"] = {{"href", address_with(request, {{"nightly", chart.at("older").dump()}})}};
    }
    return page_response(request, "series.html", std::move(view), Shows::list);
}

}  // namespace vigil::service
