#pragma once

#include <optional>

#include "service/watch/recover/level_today.hpp"

// What nights of a series were found to be when they were measured again. It counts more than what
// the nights' own runs say.

namespace vigil::service {

/// One night of a series against an earlier one, by the sessions of the nights between them and of
/// those that found a change later that began there; nullopt: none was measured again.
/// @param earlier  before `later`
std::optional<LevelToday> measured_between(
    Database& db, SeriesId series, NightlyId earlier, NightlyId later);

/// Worse or better where the interval of the change leaves 0 out.
Finding finding_of(double low, double high);

}  // namespace vigil::service
