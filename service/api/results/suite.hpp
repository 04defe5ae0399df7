#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/http/message.hpp"
#include "service/api/common/context.hpp"
#include "service/config/config.hpp"
#include "service/store/lists/suite.hpp"

// A project's series side by side, as the routes that show many of them share it.

namespace vigil::service {

class Filters;

/// One series with its values in some nights.
struct SuiteSeries {
    SuiteSeriesRow row;
    std::vector<std::vector<double>> runs;  ///< of each night, oldest first
    std::vector<double> values;             ///< their medians; NaN: not measured
};

/// A project that is asked for, or the first one.
struct SuiteProject {
    std::string name;
    std::optional<ProjectId> id;              ///< nothing: the ledger knows none
    const ProjectConfig* settings = nullptr;  ///< null: the config has it no more
};
SuiteProject suite_project(
    const http::Request& request, Database& db, const HandlerContext& context);

/// The night that a query parameter names: by its id, name or day, or by a revision; nothing: none
/// was named, or the project has none.
/// @throws Error{invalid_argument} where there is no such night
std::optional<NightlyId> find_named_night(
    const http::Request& request,
    const std::string& name,
    Database& db,
    const HandlerContext& context,
    const SuiteProject& project);

/// Only series whose parts equal these; an empty one fits all.
struct SuiteFilter {
    std::string benchmark = {};
    std::string case_name = {};
    std::string variant = {};
    std::string machine_class = {};
    std::string metric = {};
    std::string search = {};  ///< in any of their names, whatever the case
};
/// @throws Error{invalid_argument} for a name that nothing has
SuiteFilter suite_filter(const http::Request& request, Database& db, const HandlerContext& context);
bool fits(const SuiteSeriesRow& row, const SuiteFilter& filter);

/// The series that fit, each with its values in these nights (oldest first); what no run of these
/// nights measured is left out.
std::vector<SuiteSeries> load_suite(
    Database& db,
    ProjectId project,
    const std::vector<ChartNightRow>& nights,
    const SuiteFilter& filter);

/// Of a route with these filters, and with parameters of its own.
/// @throws Error{invalid_argument} for a parameter that is none of them
void check_suite_query(const http::Request& request, std::vector<std::string> own);

/// Names, metric, unit and direction of a series, as REST shows them.
nlohmann::json series_json(const SuiteSeriesRow& row);

/// A night as these routes show it.
nlohmann::json night_json(const ChartNightRow& night);

}  // namespace vigil::service
