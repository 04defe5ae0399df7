#pragma once

#include <cstdint>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisections.hpp"

// Where no text names the commit that fixed a regression, a search measures which it was. It looks
// for what gets worse, so it is told the inverse of every value.

namespace vigil::service {

/// Where a search says that one commit changed what it measured. Pure.
struct ChangedAt {
    std::vector<int> commits;  ///< by position: the one, or those that are left; ascending
    bool measured = false;     ///< it is that one, built and measured with it and without
    std::vector<search::SeriesEnding> endings;  ///< of the only cause; empty: there are several
};
/// @param inside  of a merge
ChangedAt changed_at(const BisectionConclusion& conclusion, bool inside);

/// Begins a search for each recovery of the night of which only the range is known, where single
/// commits can be built. The night does not wait for it.
void search_fixes(
    Database& db,
    const ProjectConfig& config,
    const JobConfig& jobs,
    NightlyId nightly,
    std::int64_t now_s);

/// Whether the regression whose fix is searched is still back.
bool is_fix_wanted(Database& db, BisectionId bisection);

/// Takes over what an ended one says: it goes on inside of a merge, or the regression is told anew,
/// once. What could not be measured stays as it is told.
/// @param conclusion  without endings: it failed
void conclude_fix(
    Database& db,
    const BisectionRow& bisection,
    const BisectionConclusion& conclusion,
    std::int64_t now_s);

}  // namespace vigil::service
