#pragma once

#include <set>
#include <vector>

#include "service/config/config.hpp"
#include "service/watch/values.hpp"

namespace vigil::service {

/// Whether the nights of a level alone cannot tell a change of this size: they are too few, or
/// scatter too much.
/// @param earlier  without tonight
bool nights_cannot_tell(const std::vector<NightValues>& earlier, double threshold);

/// The series that are measured against their good build tonight whatever the night says: those
/// measured in turns whose nights cannot tell. A night has room for 32; those asked longest ago
/// come first.
std::set<SeriesId> choose_checks(
    Database& db,
    const ProjectConfig& config,
    const std::vector<SeriesRow>& measured,
    NightlyId nightly);

}  // namespace vigil::service
