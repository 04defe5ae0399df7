#pragma once

#include <set>
#include <span>
#include <vector>

#include "service/config/config.hpp"
#include "service/watch/values.hpp"

namespace vigil::service {

/// Whether the nights of a level alone cannot tell a change of this size: they are too few, or
/// scatter too much.
/// @param earlier  [n] values, > 0, without tonight's
bool nights_cannot_tell(std::span<const double> earlier, double threshold);

/// Whether builds that are compared in this series measure in turns.
bool measures_in_turns(Database& db, const ProjectConfig& config, const SeriesRow& series);

/// The series that are measured against their good build tonight whatever the night says. A night
/// has room for 32; those asked longest ago come first.
/// @param candidates  measured in turns, of whom the nights cannot tell
std::set<SeriesId> choose_checks(
    Database& db, NightlyId nightly, const std::vector<SeriesId>& candidates);

/// Nights that had no runs for the series since it last had a session.
int nights_unasked(Database& db, SeriesId series, NightlyId nightly);

}  // namespace vigil::service
