#pragma once

#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/recipe.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// The benchmarks of the newest job that measured a series of this benchmark variant; empty: none
/// did.
std::vector<BenchmarkPlan> list_newest_plan(
    Database& db, ProjectId project, const std::string& benchmark, const std::string& variant);

}  // namespace vigil::service
