#include "service/api/results/trends.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/metric_words.hpp"
#include "schema/text/numbers.hpp"
#include "service/api/common/handlers.hpp"
#include "service/pages/common/filters.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/measured/sparkline.hpp"
#include "service/pages/measured/suite_filters.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr double told_change = 0.05;  // what the page counts as moved
constexpr std::size_t most_trends = 500;

/// One night alone is no change that is known.
ChangeMood trend_mood(const Trend& trend) {
    if (!trend.moved || trend.by == TrendBy::night) return {"", ""};
    return change_mood(trend.moved->change_ratio, told_change);
}

json trend_view(const Trend& trend, const std::vector<ChartNightRow>& nights) {
    const auto& row = trend.row;
    const auto& moved = trend.moved;
    const auto mood = trend_mood(trend);
    json view = {
        {"id", row.id.value},
        {"benchmark", benchmark_words(names_of(row))},
        {"variant", name_words(row.variant)},
        {"machine_class", name_words(row.machine_class)},
        {"metric", metric_words(row.metric)},
        {"now", ""},
        {"change", ""},
        {"mood", mood.mood},
        {"sign", mood.sign},
        {"line", sparkline(trend.values)},
        {"since", nullptr},
        {"alone", moved && trend.by == TrendBy::night},
        {"again", moved && trend.by == TrendBy::measured_again},
        {"base", nullptr}};
    if (moved) {
        view["now"] = quantity_words(moved->value, row.unit);
        view["change"] = moved_words(moved->change_ratio, moved->base, moved->value, row.unit);
        view["base"] = {{"y", sparkline_place(trend.values, moved->base)}};
    }
    const auto since = std::ranges::find(nights, trend.since, &ChartNightRow::nightly);
    if (since != nights.end()) view["since"] = {{"night", name_words(since->name)}};
    return view;
}

/// What the page says first.
std::string trends_title(const std::vector<Trend>& trends) {
    const auto count = [&](std::string_view mood) {
        return std::ranges::count_if(
            trends, [&](const auto& trend) { return trend_mood(trend).mood == mood; });
    };
    const auto worse = count("bad");
    const auto better = count("good");
    if (trends.empty()) return "No series fits";
    if (worse + better == 0) {
        return text::counted(std::ssize(trends), "series", "series") + ", none moved";
    }
    return fmt::format("{} worse, {} better of {} series", worse, better, trends.size());
}

}  // namespace

http::Response get_trends_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (wants_data(request)) return data_response(get_trends, request, db, context);
    const auto asked = given_filters(request);
    const auto trends = load_trends(api_request(request, asked, {}), db, context);
    auto rows = json::array();
    for (const auto& one : trends.series) {
        if (rows.size() == most_trends) break;
        rows.push_back(trend_view(one, trends.nights));
    }
    auto fields = suite_choices(context.config, asked, "any");
    fields.push_back(text_field("benchmark", "Benchmark", asked));
    fields.push_back(text_field("variant", "Variant", asked));
    fields.push_back(text_field("search", "Search", asked));
    fields.push_back(choice_field("nights", "Nights", {"30", "60", "90"}, asked));
    const bool none = rows.empty();
    const bool is_cut = trends.series.size() > rows.size();
    json view = {
        {"title", trends_title(trends.series)},
        {"tabs", suite_tabs("/trends", trends.project)},
        {"project", name_words(trends.project)},
        {"nights", trends.nights.size()},
        {"filter_form", filter_form(std::move(fields))},
        {"trends", std::move(rows)},
        {"none", none},
        {"cut", is_cut ? json{{"most", most_trends}} : json()}};
    return page_response(request, "trends.html", std::move(view), Shows::list);
}

}  // namespace vigil::service
