#include "service/api/results/suite.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "schema/model/metric_words.hpp"
#include "schema/model/text_ids.hpp"
#include "schema/text/characters.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/listing.hpp"
#include "service/store/ids.hpp"

namespace vigil::service {

namespace {

constexpr int most_suite_series = 4000;
constexpr std::size_t shortest_hash = 7;

std::string text_of(const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text == nullptr ? "" : *text;
}

}  // namespace

SuiteProject suite_project(
    const http::Request& request, Database& db, const HandlerContext& context) {
    SuiteProject project;
    const auto& projects = context.config.projects;
    project.name = Filters(request, db, context.config).project().value_or("");
    if (project.name.empty() && !projects.empty()) project.name = projects.begin()->first;
    project.id = find_project(db, project.name);
    const auto found = projects.find(project.name);
    if (found != projects.end()) project.settings = &found->second;
    return project;
}

std::optional<NightlyId> find_named_night(
    const http::Request& request,
    const std::string& name,
    Database& db,
    const HandlerContext& context,
    const SuiteProject& project) {
    const auto given = text_filter(request, name);
    if (!given || given->empty() || !project.id) return std::nullopt;
    http::Request asked;
    asked.query = {{"nightly", *given}, {"project", project.name}};
    if (is_lower_hex(*given) && given->size() >= shortest_hash) {
        asked.query["revision"] = *given;
        const auto hash = Filters(asked, db, context.config).value("build", "revision");
        if (auto night = find_night_of(db, *project.id, text_of(hash))) return night;
    }
    const auto value = Filters(asked, db, context.config).value("run", "nightly");
    return NightlyId{std::get<std::int64_t>(value)};
}

SuiteFilter suite_filter(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Filters filters(request, db, context.config);
    const auto text = [&](const char* name) { return text_of(filters.value("series", name)); };
    return {
        text("benchmark"),
        text("case"),
        text("variant"),
        text("machine_class"),
        text("metric"),
        text::folded(text_filter(request, "search").value_or(""))};
}

bool fits(const SuiteSeriesRow& row, const SuiteFilter& filter) {
    const auto is = [](const std::string& asked, std::string_view has) {
        return asked.empty() || asked == has;
    };
    if (!is(filter.benchmark, row.benchmark) || !is(filter.case_name, row.case_name) ||
        !is(filter.variant, row.variant) || !is(filter.machine_class, row.machine_class) ||
        !is(filter.metric, to_string(row.metric))) {
        return false;
    }
    if (filter.search.empty()) return true;
    const auto all = row.shown + "\n" + row.variant + "\n" + row.machine_class + "\n" +
                     std::string(to_string(row.metric)) + "\n" +
                     std::string(metric_words(row.metric));
    return text::folded(all).find(filter.search) != std::string::npos;
}

std::vector<SuiteSeries> load_suite(
    Database& db,
    ProjectId project,
    const std::vector<ChartNightRow>& nights,
    const SuiteFilter& filter) {
    std::vector<SuiteSeries> suite;
    std::map<SeriesId, std::size_t> places;
    for (auto& row : list_suite_series(db, project, most_suite_series)) {
        if (!fits(row, filter)) continue;
        places.emplace(row.id, suite.size());
        suite.push_back({std::move(row), {}, {}});
        suite.back().runs.resize(nights.size());
    }
    for (std::size_t i = 0; i < nights.size(); ++i) {
        for (const auto& run : list_suite_runs(db, nights[i].nightly)) {
            const auto place = places.find(run.series);
            if (place != places.end()) suite[place->second].runs[i].push_back(run.value);
        }
    }
    std::erase_if(suite, [](const auto& one) {
        return std::ranges::all_of(one.runs, [](const auto& runs) { return runs.empty(); });
    });
    for (auto& one : suite) {
        for (const auto& runs : one.runs) one.values.push_back(stats::median(runs));
    }
    return suite;
}

void check_suite_query(const http::Request& request, std::vector<std::string> own) {
    for (const auto* name :
         {"project",
          "benchmark",
          "case",
          "variant",
          "machine_class",
          "metric",
          "search",
          "format"}) {
        own.emplace_back(name);
    }
    check_query(request, own);
}

nlohmann::json series_json(const SuiteSeriesRow& row) {
    return {
        {"series", row.id.value},
        {"benchmark", row.benchmark},
        {"case", text_or_null(row.case_name)},
        {"variant", row.variant},
        {"machine_class", row.machine_class},
        {"metric", to_string(row.metric)},
        {"quantity", text_or_null(row.quantity)},
        {"unit", row.unit},
        {"direction", to_string(row.direction)}};
}

nlohmann::json night_json(const ChartNightRow& night) {
    return {{"nightly", night.nightly.value}, {"night", night.name}, {"revision", night.revision}};
}

}  // namespace vigil::service
