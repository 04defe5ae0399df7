#pragma once

#include <string>
#include <vector>

#include "bisect/search/driver.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisections.hpp"

namespace vigil::service {

/// A bisection as the search sees it: its rows are the events that its driver is told.
struct ReadBisection {
    search::Problem problem;
    search::Driver driver;
};

/// Whether a series no longer runs: then a run's value is 1 where it passed, 2 where it did not.
bool is_by_outcome(const BisectionSettings& settings, int series);

/// For each series the case that runs alone; empty: its whole program runs.
std::vector<std::string> list_cases_alone(Database& db, const BisectionSettings& settings);

ReadBisection read_bisection(Database& db, const BisectionRow& bisection);

}  // namespace vigil::service
