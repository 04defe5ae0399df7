#include "service/api/results/series_over.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t most_over = 9;

SeriesId series_of(std::string_view word) {
    std::int64_t id = 0;
    const auto* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, id);
    if (error == std::errc{} && rest == end && id > 0) return SeriesId{id};
    throw Error(
        Errc::invalid_argument,
        "query parameter with must be numbers of series, with commas between them");
}

/// The median of the runs of each night that are judged.
json values_json(Database& db, SeriesId series, const std::vector<ChartNightRow>& nights) {
    const auto runs = list_chart_runs(db, series, nights);
    auto values = json::array();
    auto run = runs.begin();
    std::vector<double> own;
    for (const auto& night : nights) {
        own.clear();
        for (; run != runs.end() && run->nightly == night.nightly; ++run) {
            if (!run->left_out) own.push_back(run->value);
        }
        values.push_back(own.empty() ? json() : json(stats::median(own)));
    }
    return values;
}

}  // namespace

std::vector<SeriesId> over_requested(const http::Request& request) {
    std::vector<SeriesId> over;
    const auto given = request.query.find("with");
    if (given == request.query.end()) return over;
    std::string_view rest = given->second;
    while (!rest.empty()) {
        const auto end = std::min(rest.find_first_of(", "), rest.size());
        if (end > 0) {
            const auto series = series_of(rest.substr(0, end));
            if (std::ranges::find(over, series) == over.end()) over.push_back(series);
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (over.size() <= most_over) return over;
    throw Error(
        Errc::invalid_argument,
        fmt::format(
            "query parameter with: at most {} series lie over one, and these are {}",
            most_over,
            over.size()));
}

json over_json(
    Database& db,
    const std::vector<SeriesId>& over,
    std::string_view project,
    const std::vector<ChartNightRow>& nights) {
    auto all = json::array();
    for (const auto series : over) {
        auto one = load_one(db, lists::series, series.value);
        one.erase("baselines");
        if (one.at("project") != project) {
            throw Error(
                Errc::invalid_argument,
                fmt::format(
                    "query parameter with: series {} is of another project, which has other nights",
                    series.value));
        }
        one["values"] = values_json(db, series, nights);
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace vigil::service
