#include <algorithm>
#include <limits>
#include <vector>

#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "schema/http/target.hpp"
#include "schema/wire/json.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/store/lists/history.hpp"
#include "service/store/lists/lists.hpp"
#include "service/store/lists/names.hpp"
#include "service/store/series/values.hpp"

// A series, and histories as lines of JSON, in the form that `vigil detect` reads: to be judged
// again elsewhere, or under another rule.

namespace vigil::service {

namespace {

constexpr int default_nights = 400;
constexpr int max_nights = 5000;
constexpr int max_series = 100;  // a page of them is built in memory

/// How the nights of a series are called: by their days where each has one of its own and they are
/// in order; else by when they began; else by number.
std::vector<nlohmann::json> names_of(
    Database& db, SeriesId series, const std::vector<NightValues>& nights) {
    if (nights.empty()) return {};
    const auto all = load_night_names(db, series, nights.front().nightly, nights.back().nightly);
    std::vector<nlohmann::json> days;
    std::vector<nlohmann::json> times;
    std::vector<nlohmann::json> numbers;
    for (const auto& night : nights) {
        const auto& names = all.at(night.nightly);
        days.emplace_back(names.day);
        times.emplace_back(names.time);
        numbers.emplace_back(night.nightly.value);
    }
    const auto are_names = [](const std::vector<nlohmann::json>& names) {
        const auto unordered = std::adjacent_find(
            names.begin(), names.end(), [](const auto& a, const auto& b) { return a >= b; });
        return unordered == names.end() && std::count(names.begin(), names.end(), "") == 0;
    };
    if (are_names(days)) return days;
    return are_names(times) ? times : numbers;
}

/// @param line  the series, with its id
std::string line_of(Database& db, nlohmann::json line, int limit) {
    const NightlyId newest{std::numeric_limits<std::int64_t>::max()};
    const SeriesId series{line.at("id").get<std::int64_t>()};
    line.erase("id");
    const auto worse = list_worse_nights(db, series);
    const auto moves = list_moved_nights(db, series);
    const auto is_among = [](const std::vector<NightlyId>& nights, NightlyId night) {
        return std::find(nights.begin(), nights.end(), night) != nights.end();
    };
    for (const auto* list :
         {"nightlies", "values", "samples", "environments", "labels", "left_out"}) {
        line[list] = nlohmann::json::array();
    }
    int environment = 1;
    const auto nights = load_history(db, series, newest, limit);
    line["nights"] = names_of(db, series, nights);
    for (const auto& night : nights) {
        if (is_among(moves, night.nightly)) ++environment;
        if (is_among(worse, night.nightly)) line["labels"].push_back(line["nightlies"].size());
        line["nightlies"].push_back(night.nightly.value);
        line["values"].push_back(night.value);
        line["samples"].push_back(night.runs);
        line["environments"].push_back(environment);
    }
    for (const auto& night : load_left_out(db, series, newest, limit)) {
        line["left_out"].push_back(
            {{"nightly", night.nightly.value}, {"value", night.value}, {"samples", night.runs}});
    }
    return wire::write_json(line) + "\n";
}

int bounded(const http::Request& request, const std::string& name, int usual, int most) {
    const std::int64_t given = number_filter(request, name).value_or(usual);
    if (given >= 1 && given <= most) return static_cast<int>(given);
    throw Error(
        Errc::invalid_argument,
        "query parameter " + name + " must be in 1.." + std::to_string(most));
}

}  // namespace

http::Response get_series(const http::Request& request, Database& db, const HandlerContext&) {
    check_query(request, {"limit"});
    const Page page = parse_page(request);
    const Snapshot snapshot(db);
    const auto id = id_parameter(request);
    auto series = load_one(db, lists::series, id);
    series["points"] = lists::load_points(db, id, page.limit);
    return object_response(std::move(series));
}

void add_night_value(nlohmann::json& night, Database&, const HandlerContext&) {
    std::vector<double> values;
    for (const auto& run : night.at("runs")) {
        if (!run.at("left_out").get<bool>()) values.push_back(run.at("value").get<double>());
    }
    night["value"] = values.empty() ? nlohmann::json() : nlohmann::json(stats::median(values));
}

http::Response list_series_nights(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const auto id = id_parameter(request);
    if (!has_id(db, "series", id)) throw_missing("series", id);
    return list_response(request, db, context, lists::series_nights, add_night_value);
}

http::Response list_history(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(
        request,
        {"project",
         "benchmark",
         "case",
         "variant",
         "machine_class",
         "metric",
         "nights",
         "limit",
         "after"});
    const Filters filters(request, db, context.config);
    const int nights = bounded(request, "nights", default_nights, max_nights);
    const int limit = bounded(request, "limit", max_series, max_series);
    const Snapshot snapshot(db);
    auto exported = list_page(db, lists::exported_series, {0, limit}, [&](const auto& name) {
        return filters.value(lists::exported_series.noun, name);
    });
    const bool more = exported.size() > static_cast<std::size_t>(limit);
    if (more) exported.erase(exported.end() - 1);
    std::string lines;
    for (const auto& series : exported) lines += line_of(db, series, nights);
    auto response = http::text_response(std::move(lines), "application/x-ndjson");
    if (more) {
        auto next = request.query;
        next["after"] = exported.back().at("id").dump();
        response.headers["link"] =
            "<" + request.path + http::query_string(next) + ">; rel=\"next\"";
    }
    return response;
}

}  // namespace vigil::service
