#pragma once

#include "schema/model/ids.hpp"
#include "service/report/regression_facts.hpp"

// Parts of load_regression_facts: each fills its members of the facts, whose `series` stand
// already.

namespace vigil::service {

/// Index into facts.series; -1 when the series is not in the regression.
int find_series(const RegressionFacts& facts, SeriesId series);

void load_suspects(Database& db, BisectionId bisection, RegressionFacts& facts);
/// What was searched inside of merges, on the way to the bisection that gave the answer and beyond.
void load_insides(Database& db, BisectionId answering, RegressionFacts& facts);
void load_probes(Database& db, BisectionId bisection, RegressionFacts& facts);
void load_environments(Database& db, RegressionFacts& facts);
/// @param project  nullptr: the config no longer names it, every series counts as judged
void load_considered(
    Database& db, ProjectId project_id, RegressionFacts& facts, const ProjectConfig* project);

}  // namespace vigil::service
