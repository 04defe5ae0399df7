#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/states.hpp"
#include "schema/text/numbers.hpp"
#include "service/api/common/handlers.hpp"
#include "service/pages/chart.hpp"
#include "service/pages/common/filters.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr int usual_nights = 90;
constexpr Handler all_series = list_of<lists::series>;

/// Regressions of this very series, by the night they were found in.
std::map<std::int64_t, std::int64_t> regressions_of(const json& items, std::int64_t series) {
    std::map<std::int64_t, std::int64_t> by_night;
    for (const auto& regression : items) {
        const auto& moved = regression.at("series");
        const bool is_mine =
            std::ranges::any_of(moved, [&](const auto& one) { return one.at("series") == series; });
        if (is_mine) by_night[regression.at("nightly").get<std::int64_t>()] = regression.at("id");
    }
    return by_night;
}

ChartNight chart_night(const json& night) {
    ChartNight drawn{night.at("night").get<std::string>(), std::nullopt};
    if (!night.at("value").is_number()) return drawn;
    drawn.value = drawn.low = drawn.high = night.at("value").get<double>();
    for (const auto& run : night.at("runs")) {
        if (run.at("left_out").get<bool>()) continue;
        const auto value = run.at("value").get<double>();
        const auto spread = run.at("spread").is_number() ? run.at("spread").get<double>() : 0;
        drawn.low = std::min(drawn.low, value - spread);
        drawn.high = std::max(drawn.high, value + spread);
    }
    return drawn;
}

std::string workers_of(const json& night) {
    std::string words;
    for (const auto& run : night.at("runs")) {
        const auto worker = name_words(run.at("worker"));
        if (words.find(worker) == words.npos) words += (words.empty() ? "" : ", ") + worker;
    }
    return words;
}

json night_row(const json& night, const ChartNight& drawn, const json& unit) {
    json row = {
        {"id", night.at("id")},
        {"name", name_words(night.at("night"))},
        {"revision", short_revision(night.at("revision"))},
        {"value", quantity_words(night.at("value"), unit)},
        {"interval", ""},
        {"runs", night.at("runs").size()},
        {"workers", workers_of(night)},
        {"found", nullptr}};
    if (drawn.value && drawn.high > drawn.low) {
        row["interval"] =
            quantity_words(drawn.low, unit) + " to " + quantity_words(drawn.high, unit);
    }
    if (drawn.regression) row["found"] = {{"regression", *drawn.regression}};
    return row;
}

/// What the chart shows, as a sentence.
std::string summary_of(const std::vector<ChartNight>& nights, const std::string& unit) {
    const ChartNight* first = nullptr;
    const ChartNight* last = nullptr;
    std::int64_t measured = 0;
    for (const auto& night : nights) {
        if (!night.value) continue;
        if (first == nullptr) first = &night;
        last = &night;
        ++measured;
    }
    if (measured == 0) return "No night of these has a value.";
    const auto now = text::quantity(*last->value, unit);
    if (measured == 1 || *first->value == 0) return now + " in " + shown_text(last->name, 40) + ".";
    return fmt::format(
        "{} in {}, from {} in {}: {} over {}.",
        now,
        shown_text(last->name, 40),
        text::quantity(*first->value, unit),
        shown_text(first->name, 40),
        text::percent(*last->value / *first->value - 1),
        text::counted(measured, "measured night"));
}

json span_links(const http::Request& request, const std::string& limit) {
    auto links = json::array();
    for (const auto* span : {"30", "90", "365"}) {
        links.push_back(
            {{"nights", span},
             {"href", address_with(request, {{"limit", span}, {"cursor", ""}})},
             {"here", limit == span}});
    }
    return links;
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
             {"metric", name_words(one.at("metric"))},
             {"unit", name_words(one.at("unit"))}});
    }
    std::vector<std::string> metrics;
    for (const auto& [metric, name] : enum_names<Metric>) metrics.emplace_back(name);
    const bool none = rows.empty();
    json view = {
        {"title", "Series"},
        {"filter_form",
         filter_form(
             {choice_field("project", "Project", names_in(context.config.projects), asked),
              choice_field(
                  "machine_class",
                  "Machine class",
                  names_in(context.config.machine_classes),
                  asked),
              choice_field("metric", "Metric", metrics, asked),
              text_field("benchmark", "Benchmark", asked),
              text_field("variant", "Variant", asked)})},
        {"one", std::move(rows)},
        {"none", none},
        {"next", next_view(request, list)}};
    return page_response(request, "all_series.html", std::move(view), Shows::list);
}

http::Response get_series_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(list_series_nights, request, db, context);
    auto asked = given_filters(request);
    asked.emplace("limit", std::to_string(usual_nights));
    const auto series =
        read_api(one_of<lists::series>, request, db, context, {}, request.parameters);
    const auto nights =
        read_api(list_series_nights, request, db, context, asked, request.parameters);
    const auto found = read_api(
        list_of<lists::regressions>,
        request,
        db,
        context,
        {{"project", series.at("project")},
         {"benchmark", series.at("benchmark")},
         {"variant", series.at("variant")},
         {"machine_class", series.at("machine_class")},
         {"metric", series.at("metric")},
         {"limit", "200"}},
        {});
    const auto regressions = regressions_of(found.at("items"), series.at("id"));
    const auto unit = name_words(series.at("unit"));
    std::vector<ChartNight> drawn;
    auto rows = json::array();
    for (const auto& night : nights.at("items")) {
        auto& one = drawn.emplace_back(chart_night(night));
        const auto mark = regressions.find(night.at("id").get<std::int64_t>());
        if (mark != regressions.end()) one.regression = mark->second;
        rows.push_back(night_row(night, one, series.at("unit")));
    }
    std::reverse(drawn.begin(), drawn.end());
    auto plot = chart_view(drawn, unit);
    json view = {
        {"title", series_words(series)},
        {"project", name_words(series.at("project"))},
        {"benchmark", name_words(series.at("benchmark"))},
        {"variant", name_words(series.at("variant"))},
        {"machine_class", name_words(series.at("machine_class"))},
        {"metric", name_words(series.at("metric"))},
        {"better", series.at("direction") == "higher_is_better" ? "higher" : "lower"},
        {"summary", summary_of(drawn, unit)},
        {"has_chart", !plot.is_null()},
        {"chart", std::move(plot)},
        {"spans", span_links(request, asked.at("limit"))},
        {"nights", rows},
        {"none", rows.empty()},
        {"next", next_view(request, nights)}};
    return page_response(request, "series.html", std::move(view), Shows::list);
}

}  // namespace vigil::service
