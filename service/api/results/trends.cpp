#include "service/api/results/trends.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "bisect/trend/past.hpp"
#include "bisect/trend/segments.hpp"
#include "service/api/common/formats.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/results/measured_again.hpp"
#include "service/api/results/suite.hpp"

// All series of a project over the same nights: which of them moved.

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr int default_trend_nights = 30;
constexpr int max_trend_nights = 90;

/// Tonight's session against the level before; nullopt: the night was not measured again.
std::optional<LevelToday> newest_again(
    Database& db, const SuiteSeries& one, const std::vector<ChartNightRow>& nights) {
    for (auto at = nights.size(); at-- > 0;) {
        if (!std::isfinite(one.values[at])) continue;
        const auto nightly = nights[at].nightly;
        return measured_between(db, one.row.id, NightlyId{nightly.value - 1}, nightly);
    }
    return std::nullopt;
}

Trend trend_of(Database& db, SuiteSeries& one, const std::vector<ChartNightRow>& nights) {
    Trend trend;
    trend.moved = moved_within(one.values, one.row.direction);
    if (trend.moved && trend.moved->since) {
        trend.by = TrendBy::levels;
        trend.since = nights[*trend.moved->since].nightly;
    } else if (trend.moved) {
        if (const auto again = newest_again(db, one, nights)) {
            trend.moved->change_ratio = again->level.change_ratio;
            trend.by = TrendBy::measured_again;
        }
    }
    trend.row = std::move(one.row);
    trend.values = std::move(one.values);
    return trend;
}

json trend_json(const Trend& trend) {
    auto item = series_json(trend.row);
    auto values = json::array();
    for (const double value : trend.values) {
        values.push_back(std::isfinite(value) ? json(value) : json());
    }
    item["values"] = std::move(values);
    const auto& moved = trend.moved;
    item["base"] = moved ? json(moved->base) : json();
    item["value"] = moved ? json(moved->value) : json();
    item["change_ratio"] = moved ? json(moved->change_ratio) : json();
    item["since"] = trend.since ? json(trend.since->value) : json();
    item["by"] = moved ? json(to_string(trend.by)) : json();
    return item;
}

/// What is known comes before what one night says.
double size_of(const Trend& trend) {
    if (!trend.moved) return -1;
    const double size = std::abs(log_of_change(trend.moved->change_ratio));
    return trend.by == TrendBy::night ? size : 1000 + size;
}

}  // namespace

std::optional<Moved> moved_within(std::span<const double> values, Direction direction) {
    std::vector<double> measured;
    for (const double value : values) {
        if (std::isfinite(value)) measured.push_back(value);
    }
    if (measured.size() < 2) return std::nullopt;
    Moved moved;
    moved.value = measured.back();
    moved.base = stats::median(std::span(measured).first(measured.size() - 1));
    if (trend::may_have_levels(values)) {
        bool is_first = true;
        for (const auto& change : trend::find_past_changes(values, direction)) {
            if (change.errors < trend::surely_apart) continue;
            if (is_first) moved.base = change.before;
            is_first = false;
            moved.value = change.after;
            moved.since = change.first;
        }
    }
    if (!(moved.base >= 0) || !(moved.value >= 0)) return std::nullopt;
    moved.change_ratio = change_ratio(moved.base, moved.value, direction);
    return moved;
}

std::string_view to_string(TrendBy by) {
    switch (by) {
        case TrendBy::levels: return "levels";
        case TrendBy::measured_again: return "measured_again";
        case TrendBy::night: break;
    }
    return "night";
}

Trends load_trends(const http::Request& request, Database& db, const HandlerContext& context) {
    check_suite_query(request, {"nights", "nightly"});
    const auto asked = number_filter(request, "nights").value_or(default_trend_nights);
    if (asked < 2 || asked > max_trend_nights) {
        throw Error(
            Errc::invalid_argument,
            "query parameter nights must be in 2.." + std::to_string(max_trend_nights));
    }
    const Snapshot snapshot(db);
    const auto project = suite_project(request, db, context);
    const auto filter = suite_filter(request, db, context);
    Trends all{project.name, {}, {}};
    if (!project.id) return all;
    const auto until = find_named_night(request, "nightly", db, context, project)
                           .value_or(NightlyId{std::numeric_limits<std::int64_t>::max()});
    all.nights = list_suite_nights(db, *project.id, until, static_cast<int>(asked));
    std::ranges::reverse(all.nights);
    for (auto& one : load_suite(db, *project.id, all.nights, filter)) {
        all.series.push_back(trend_of(db, one, all.nights));
    }
    std::ranges::stable_sort(all.series, std::ranges::greater{}, size_of);
    return all;
}

http::Response get_trends(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const auto format = format_of(request);
    const auto all = load_trends(request, db, context);
    auto items = json::array();
    for (const auto& trend : all.series) items.push_back(trend_json(trend));
    if (format != TableFormat::json) {
        return list_in(
            format,
            items,
            {"series",
             "benchmark",
             "case",
             "variant",
             "machine_class",
             "metric",
             "quantity",
             "unit",
             "base",
             "value",
             "change_ratio",
             "since",
             "by"});
    }
    auto nights = json::array();
    for (const auto& night : all.nights) nights.push_back(night_json(night));
    return object_response(
        {{"project", all.project}, {"nights", std::move(nights)}, {"items", std::move(items)}});
}

}  // namespace vigil::service
