#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/model/job.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/formats.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/sizes.hpp"
#include "service/api/results/measured_again.hpp"
#include "service/api/results/suite.hpp"

// What became of each benchmark and variant in one night, against another night or another machine
// class.

namespace vigil::service {

namespace {

using nlohmann::json;
using Place = std::pair<std::string, std::string>;  ///< benchmark (with its case), variant

struct Cell {
    std::optional<std::string> outcome;
    std::string message;
    const SuiteSeries* series = nullptr;
    double value = std::nan("");
};

/// One side of the comparison: a night on a machine class.
struct HeatSide {
    std::optional<ChartNightRow> night;
    std::string machine_class;
    std::map<Place, Cell> cells;
};

/// Of several runs the one that passed counts, else the last.
void take(Cell& cell, const SuiteOutcome& run) {
    if (cell.outcome == "passed") return;
    cell.outcome = run.outcome;
    cell.message = run.outcome == "passed" ? "" : run.message;
}

std::optional<ChartNightRow> find_night(Database& db, ProjectId project, NightlyId until) {
    auto nights = list_suite_nights(db, project, until, 1);
    if (nights.empty()) return std::nullopt;
    return std::move(nights.front());
}

void fill_cells(Database& db, HeatSide& side, const std::vector<SuiteSeries>& suite) {
    if (!side.night) return;
    for (const auto& run : list_suite_outcomes(db, side.night->nightly)) {
        if (run.machine_class != side.machine_class) continue;
        take(side.cells[{run.benchmark, run.variant}], run);
    }
    for (const auto& one : suite) {
        if (one.row.machine_class != side.machine_class) continue;
        auto& cell = side.cells[{one.row.shown, one.row.variant}];
        if (!one.row.case_name.empty()) cell.outcome = "passed";
        cell.series = &one;
        cell.value = one.values.front();
    }
}

std::string class_requested(
    const Filters& filters,
    const char* name,
    const http::Request& request,
    const SuiteProject& project) {
    const auto given = filters.value("series", "machine_class");
    const auto* text = std::get_if<std::string>(&given);
    if (text != nullptr) return *text;
    if (request.query.contains(name)) return request.query.at(name);
    if (project.settings != nullptr) {
        for (const auto& entry : project.settings->matrix) {
            if (!entry.machine_classes.empty()) return entry.machine_classes.front();
        }
    }
    return "";
}

Metric metric_requested(const http::Request& request, const SuiteProject& project) {
    const auto given = text_filter(request, "metric");
    if (given && !given->empty()) return parse_enum<Metric>(*given);
    if (project.settings == nullptr || project.settings->judged.empty()) {
        return Metric::cpu_time_ns;
    }
    return project.settings->judged.front();
}

json value_of(double value) {
    return std::isfinite(value) ? json(value) : json();
}

/// @param against  the same place of the other side; null: it has none
json cell_json(const Place& place, const Cell& cell, const Cell* against) {
    const double base = against == nullptr ? std::nan("") : against->value;
    json item = {
        {"benchmark", place.first},
        {"variant", place.second},
        {"state", cell.outcome.value_or("missing")},
        {"message", cell.message},
        {"series", nullptr},
        {"unit", nullptr},
        {"value", value_of(cell.value)},
        {"base", value_of(base)},
        {"base_state",
         against != nullptr && against->outcome ? json(*against->outcome) : json("missing")},
        {"change_ratio", nullptr},
        {"measured_again", nullptr}};
    if (cell.series == nullptr) return item;
    item["series"] = cell.series->row.id.value;
    item["unit"] = cell.series->row.unit;
    if (cell.value >= 0 && base >= 0) {
        item["change_ratio"] = change_ratio(base, cell.value, cell.series->row.direction);
    }
    return item;
}

/// What measuring again says of the change between two nights of one machine class.
void add_again(Database& db, json& item, const HeatSide& here, const HeatSide& there) {
    if (!here.night || !there.night || here.machine_class != there.machine_class) return;
    if (!item.at("change_ratio").is_number()) return;
    const SeriesId series{item.at("series").get<std::int64_t>()};
    item["measured_again"] =
        again_json(measured_between(db, series, there.night->nightly, here.night->nightly));
}

json items_of(Database& db, const HeatSide& here, const HeatSide& there) {
    std::map<Place, Cell> all = here.cells;
    for (const auto& [place, cell] : there.cells) all.try_emplace(place);
    auto items = json::array();
    for (const auto& [place, cell] : all) {
        const auto other = there.cells.find(place);
        items.push_back(
            cell_json(place, cell, other == there.cells.end() ? nullptr : &other->second));
        add_again(db, items.back(), here, there);
    }
    return items;
}

json side_json(const HeatSide& side) {
    if (!side.night) return nullptr;
    auto told = night_json(*side.night);
    told["machine_class"] = side.machine_class;
    return told;
}

}  // namespace

http::Response get_heatmap(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(
        request,
        {"project", "metric", "nightly", "against", "machine_class", "against_class", "format"});
    const auto format = format_of(request);
    const Snapshot snapshot(db);
    const auto project = suite_project(request, db, context);
    const auto metric = metric_requested(request, project);
    HeatSide here;
    HeatSide there;
    here.machine_class =
        class_requested(Filters(request, db, context.config), "machine_class", request, project);
    http::Request other;
    const auto other_class = text_filter(request, "against_class").value_or("");
    if (!other_class.empty()) other.query = {{"machine_class", other_class}};
    there.machine_class =
        other_class.empty()
            ? here.machine_class
            : class_requested(Filters(other, db, context.config), "machine_class", other, project);
    std::vector<SuiteSeries> suites[2];
    if (project.id) {
        constexpr NightlyId newest{std::numeric_limits<std::int64_t>::max()};
        const auto tonight =
            find_named_night(request, "nightly", db, context, project).value_or(newest);
        here.night = find_night(db, *project.id, tonight);
        const auto named = find_named_night(request, "against", db, context, project);
        if (named) {
            there.night = find_night(db, *project.id, *named);
        } else if (here.night && !other_class.empty()) {
            there.night = here.night;
        } else if (here.night) {
            there.night = find_night(db, *project.id, NightlyId{here.night->nightly.value - 1});
        }
        const SuiteFilter filter{.metric = std::string(to_string(metric))};
        if (here.night) suites[0] = load_suite(db, *project.id, {*here.night}, filter);
        if (there.night) suites[1] = load_suite(db, *project.id, {*there.night}, filter);
        fill_cells(db, here, suites[0]);
        fill_cells(db, there, suites[1]);
    }
    auto items = items_of(db, here, there);
    if (format != TableFormat::json) return list_in(format, items, {});
    return object_response(
        {{"project", project.name},
         {"metric", to_string(metric)},
         {"here", side_json(here)},
         {"against", side_json(there)},
         {"items", std::move(items)}});
}

}  // namespace vigil::service
