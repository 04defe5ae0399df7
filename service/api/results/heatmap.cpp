#include "service/api/results/heatmap.hpp"

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

std::optional<double> value_of(double value) {
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// @param against  the same place of the other side; null: it has none
HeatCell heat_cell(const Place& place, const Cell& cell, const Cell* against) {
    const double base = against == nullptr ? std::nan("") : against->value;
    HeatCell made;
    made.benchmark = place.first;
    made.variant = place.second;
    made.state = cell.outcome.value_or("missing");
    made.message = cell.message;
    made.base_state = against == nullptr ? "missing" : against->outcome.value_or("missing");
    made.value = value_of(cell.value);
    made.base = value_of(base);
    if (cell.series == nullptr) return made;
    made.series = cell.series->row.id;
    made.unit = cell.series->row.unit;
    if (cell.value >= 0 && base >= 0) {
        made.change_ratio = change_ratio(base, cell.value, cell.series->row.direction);
    }
    return made;
}

std::vector<HeatCell> cells_of(Database& db, const HeatSide& here, const HeatSide& there) {
    // Measuring again says something of two nights of one machine class.
    const bool has_again = here.night && there.night && here.machine_class == there.machine_class;
    std::map<Place, Cell> all = here.cells;
    for (const auto& [place, cell] : there.cells) all.try_emplace(place);
    std::vector<HeatCell> cells;
    for (const auto& [place, cell] : all) {
        const auto other = there.cells.find(place);
        auto& one = cells.emplace_back(
            heat_cell(place, cell, other == there.cells.end() ? nullptr : &other->second));
        if (!has_again || !one.change_ratio) continue;
        one.again = measured_between(db, *one.series, there.night->nightly, here.night->nightly);
    }
    return cells;
}

std::optional<HeatNight> shown_side(HeatSide& side) {
    if (!side.night) return std::nullopt;
    return HeatNight{std::move(*side.night), std::move(side.machine_class)};
}

template <class Value>
json or_nothing(const std::optional<Value>& value) {
    return value ? json(*value) : json();
}

json cell_json(const HeatCell& cell) {
    return {
        {"benchmark", cell.benchmark},
        {"variant", cell.variant},
        {"state", cell.state},
        {"message", cell.message},
        {"series", cell.series ? json(cell.series->value) : json()},
        {"unit", or_nothing(cell.unit)},
        {"value", or_nothing(cell.value)},
        {"base", or_nothing(cell.base)},
        {"base_state", cell.base_state},
        {"change_ratio", or_nothing(cell.change_ratio)},
        {"measured_again", again_json(cell.again)}};
}

json side_json(const std::optional<HeatNight>& side) {
    if (!side) return nullptr;
    auto told = night_json(side->night);
    told["machine_class"] = side->machine_class;
    return told;
}

}  // namespace

HeatMap load_heatmap(const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(
        request,
        {"project", "metric", "nightly", "against", "machine_class", "against_class", "format"});
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
    auto cells = cells_of(db, here, there);
    return {project.name, metric, shown_side(here), shown_side(there), std::move(cells)};
}

http::Response get_heatmap(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const auto format = format_of(request);
    const auto map = load_heatmap(request, db, context);
    auto items = json::array();
    for (const auto& cell : map.cells) items.push_back(cell_json(cell));
    if (format != TableFormat::json) return list_in(format, items, {});
    return object_response(
        {{"project", map.project},
         {"metric", to_string(map.metric)},
         {"here", side_json(map.here)},
         {"against", side_json(map.against)},
         {"items", std::move(items)}});
}

}  // namespace vigil::service
