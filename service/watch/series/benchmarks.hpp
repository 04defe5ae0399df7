#pragma once

#include "schema/model/class_variant.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/recipe.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// How a benchmark variant is run on a machine class: from the config; when it is no longer there,
/// as its last job ran it, so that what has begun can end.
/// @throws Error{not_found}
BenchmarkPlan find_benchmark(
    Database& db, const ProjectConfig& config, ProjectId project, const ClassVariant& wanted);

}  // namespace vigil::service
