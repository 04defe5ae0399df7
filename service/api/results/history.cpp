#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/model/metric.hpp"
#include "schema/wire/json.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"
#include "service/store/series/values.hpp"

// Histories as lines of JSON, in the form that `vigil detect` reads: to be judged again elsewhere,
// or under another rule.

namespace vigil::service {

namespace {

constexpr int default_nights = 400;
constexpr int max_nights = 5000;
constexpr int max_series = 100;  // a page of them is built in memory

struct Exported {
    SeriesId id;
    std::string name;
    std::string unit;
    std::string direction;
    std::int64_t definition = 1;
};

std::set<std::int64_t> nights_of(Query rows) {
    std::set<std::int64_t> nights;
    while (rows.next()) nights.insert(rows.get<std::int64_t>(0));
    return nights;
}

// Nights on which something truly got worse: filed, and no person has refuted it.
std::set<std::int64_t> labels_of(Database& db, SeriesId series) {
    return nights_of(db.query(
        "SELECT u.nightly_id FROM regression_series rs "
        "JOIN suspicion u ON u.id = rs.suspicion_id "
        "JOIN regression r ON r.id = rs.regression_id "
        "WHERE rs.series_id = ?1 AND r.state NOT IN ('refuted', 'not_reproduced')",
        series));
}

// First nights of levels that no verdict on the code explains: the machine's.
std::set<std::int64_t> moves_of(Database& db, SeriesId series) {
    return nights_of(db.query(
        "SELECT b.nightly_id FROM baseline b WHERE b.series_id = ?1 AND b.kind = 'rolling' "
        "AND b.withdrawn = 0 AND NOT EXISTS (SELECT 1 FROM suspicion u WHERE u.series_id = "
        "b.series_id "
        "AND u.nightly_id = b.nightly_id AND u.verdict IN ('regression', 'leak', 'broken', "
        "'improvement', 'fixed'))",
        series));
}

/// How the nights of a series are called: by their days where each has one of its own and they are
/// in order; else by when they began; else by number.
std::vector<nlohmann::json> names_of(Database& db, const std::vector<NightValues>& nights) {
    std::vector<nlohmann::json> days;
    std::vector<nlohmann::json> times;
    std::vector<nlohmann::json> numbers;
    for (const auto& night : nights) {
        auto row = db.query(
            "SELECT CASE WHEN date(day) IS day THEN day ELSE '' END, "
            "strftime('%Y-%m-%dT%H:%M:%SZ', created_at_s, 'unixepoch') "
            "FROM nightly WHERE id = ?1",
            night.nightly);
        if (!row.next()) throw_missing("nightly", night.nightly.value);
        days.emplace_back(row.get<std::string>(0));
        times.emplace_back(row.get<std::string>(1));
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

std::string line_of(Database& db, const Exported& series, int limit) {
    const NightlyId newest{std::numeric_limits<std::int64_t>::max()};
    const auto labels = labels_of(db, series.id);
    const auto moves = moves_of(db, series.id);
    nlohmann::json line{
        {"series", series.name},
        {"unit", series.unit},
        {"definition", series.definition},
        {"direction", series.direction},
        {"nights", nlohmann::json::array()},
        {"nightlies", nlohmann::json::array()},
        {"values", nlohmann::json::array()},
        {"samples", nlohmann::json::array()},
        {"environments", nlohmann::json::array()},
        {"labels", nlohmann::json::array()},
        {"left_out", nlohmann::json::array()}};
    int environment = 1;
    const auto nights = load_history(db, series.id, newest, limit);
    line["nights"] = names_of(db, nights);
    for (const auto& night : nights) {
        const std::int64_t id = night.nightly.value;
        if (moves.contains(id)) ++environment;
        if (labels.contains(id)) line["labels"].push_back(line["nightlies"].size());
        line["nightlies"].push_back(id);
        line["values"].push_back(night.value);
        line["samples"].push_back(night.runs);
        line["environments"].push_back(environment);
    }
    for (const auto& night : load_left_out(db, series.id, newest, limit)) {
        line["left_out"].push_back(
            {{"nightly", night.nightly.value}, {"value", night.value}, {"samples", night.runs}});
    }
    return wire::write_json(line) + "\n";
}

std::vector<Exported> list_exported(
    Database& db,
    const http::Request& request,
    const Filters& filters,
    std::int64_t after,
    int limit) {
    auto rows = db.query(
        "SELECT s.id, p.name || '/' || s.benchmark || '/' || s.variant || '/' || m.name || '/' || "
        "s.metric || CASE WHEN s.definition = (SELECT MAX(n.definition) FROM series n "
        "WHERE n.project_id = s.project_id AND n.benchmark = s.benchmark "
        "AND n.variant = s.variant AND n.machine_class_id = s.machine_class_id "
        "AND n.metric = s.metric) THEN '' ELSE '@' || s.definition END, "
        "s.unit, s.direction, s.definition FROM series s JOIN project p ON p.id = s.project_id "
        "JOIN machine_class m ON m.id = s.machine_class_id WHERE s.id > ?1 "
        "AND (?2 IS NULL OR p.name = ?2) AND (?3 IS NULL OR s.benchmark = ?3) "
        "AND (?4 IS NULL OR s.variant = ?4) AND (?5 IS NULL OR m.name = ?5) "
        "AND (?6 IS NULL OR s.metric = ?6) ORDER BY s.id LIMIT ?7",
        after,
        filters.project(),
        filters.benchmark(),
        filters.variant(),
        filters.machine_class(),
        enum_filter<Metric>(request, "metric"),
        limit);
    std::vector<Exported> found;
    while (rows.next()) {
        found.push_back(
            {rows.get<SeriesId>(0),
             rows.get<std::string>(1),
             rows.get<std::string>(2),
             rows.get<std::string>(3),
             rows.get<std::int64_t>(4)});
    }
    return found;
}

int bounded(const http::Request& request, const std::string& name, int usual, int most) {
    const std::int64_t given = number_filter(request, name).value_or(usual);
    if (given >= 1 && given <= most) return static_cast<int>(given);
    throw Error(
        Errc::invalid_argument,
        "query parameter " + name + " must be in 1.." + std::to_string(most));
}

}  // namespace

http::Response list_history(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(
        request,
        {"project", "benchmark", "variant", "machine_class", "metric", "nights", "limit", "after"});
    const Filters filters(request, db, context.config);
    const int nights = bounded(request, "nights", default_nights, max_nights);
    const int limit = bounded(request, "limit", max_series, max_series);
    const Snapshot snapshot(db);
    auto exported =
        list_exported(db, request, filters, number_filter(request, "after").value_or(0), limit + 1);
    const bool more = exported.size() > static_cast<std::size_t>(limit);
    if (more) exported.pop_back();
    std::string lines;
    for (const auto& series : exported) lines += line_of(db, series, nights);
    auto response = http::text_response(std::move(lines), "application/x-ndjson");
    if (more) {
        auto next = request.query;
        next["after"] = to_string(exported.back().id);
        response.headers["link"] =
            "<" + request.path + http::query_string(next) + ">; rel=\"next\"";
    }
    return response;
}

}  // namespace vigil::service
