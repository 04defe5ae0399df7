#pragma once

#include "schema/model/ids.hpp"
#include "service/report/facts/regression_facts.hpp"
#include "service/store/findings/bisection_records.hpp"

// Parts of load_regression_facts: each fills its members of the facts, whose `series` stand
// already.

namespace vigil::service {

/// Index into facts.series; -1 when the series is not in the regression.
int find_series(const RegressionFacts& facts, SeriesId series);

void load_suspects(Database& db, BisectionId bisection, RegressionFacts& facts);
/// What was searched inside of merges, on the way to the bisection that gave the answer and beyond.
void load_insides(Database& db, BisectionId answering, RegressionFacts& facts);
/// What else moved the regression's series: other regressions, lesser changes, what remains.
void load_others(Database& db, std::optional<BisectionId> answering, RegressionFacts& facts);
/// How a search ended for one series of the regression.
/// @param line    commits by position
/// @param wanted  the commit it named for this regression; where it named none: its main ending
/// @return  nullptr: the series was not searched there
const search::SeriesEnding* find_ending(
    const BisectionConclusion& conclusion,
    int series,
    const std::vector<Revision>& line,
    const Revision& wanted);
void load_probes(Database& db, BisectionId bisection, RegressionFacts& facts);
/// The levels along the commits of the search; needs its endings.
void load_levels(Database& db, BisectionId bisection, RegressionFacts& facts);
void load_environments(Database& db, RegressionFacts& facts);
void load_beside(Database& db, RegressionFacts& facts);
/// @param project  nullptr: the config no longer names it, every series counts as judged
void load_considered(Database& db, RegressionFacts& facts, const ProjectConfig* project);

}  // namespace vigil::service
