#pragma once

#include <limits>
#include <span>

#include "bisect/trend/background.hpp"
#include "bisect/trend/rules.hpp"
#include "schema/model/enum_names.hpp"

namespace vigil::trend {

/// What keeps a step from being believed.
enum class Rival {
    none,       ///< nothing: it is believed, or there is no step
    too_small,  ///< the step is under the smallest that is looked for, or within the noise
    own_noise,  ///< values like these were seen before: spikes, outliers, a second mode
};

/// A supposed step against the series' own noise.
struct Contest {
    double step = 0;                 ///< size of the step, > 0 in the direction looked at
    Rival rival = Rival::too_small;  ///< else `own_noise`
    double evidence = 0;             ///< for the step over the own noise, nats
    double needed = 0;               ///< the step is believed where the evidence is above

    /// > 0: believed.
    double margin() const {
        return rival == Rival::too_small ? -std::numeric_limits<double>::infinity()
                                         : evidence - needed;
    }
};

/// @param nights  [k] levels of the nights that would be the new level, k >= 2
/// @param sign    +1: looks for a step up; -1: for a step down
Contest contest(
    const Background& before,
    std::span<const double> nights,
    double sign,
    const LevelWatchRules& rules);

/// How much better a step up explains the nights than the series' own density, in nats.
/// @param nights  [k] levels, k >= 1
/// @return  0 when the step would be too small
double shape_score(
    const Background& before, std::span<const double> nights, const LevelWatchRules& rules);

}  // namespace vigil::trend

/// As docs/detection.md names them, for a person.
template <>
inline constexpr auto vigil::enum_names<vigil::trend::Rival> =
    std::to_array<std::pair<vigil::trend::Rival, std::string_view>>(
        {{vigil::trend::Rival::none, "none"},
         {vigil::trend::Rival::too_small, "too small"},
         {vigil::trend::Rival::own_noise, "own noise"}});
