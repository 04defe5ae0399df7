#pragma once

#include <string>
#include <vector>

#include "service/store/series/series.hpp"

// The table `former_series`: series of other programs' results as ledgers before version 50 called
// them, until a file says how they are called now.

namespace vigil::service {

/// Whether the project has any.
bool has_former_series(Database& db, ProjectId project);

/// Those of a benchmark's variant on a class, whatever the metric.
std::vector<SeriesId> list_former_series(
    Database& db, ProjectId project, const ClassVariant& variant);

/// A night's runs of one series.
struct NightRuns {
    std::int64_t runs = 0;
    double least = 0, most = 0;  ///< of their values
};
/// Of the newest nights with values, newest first. @param limit  nights
std::vector<NightRuns> list_night_runs(Database& db, SeriesId series, int limit);

/// Its name is settled: it is no former series any more.
void settle_series(Database& db, SeriesId series);

/// Gives the series, and the runs that measured it, another name of its benchmark.
/// @return  false: there is such a series already, and nothing changed
bool rename_series(Database& db, SeriesId series, const std::string& benchmark);

}  // namespace vigil::service
