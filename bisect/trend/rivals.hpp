#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bisect/trend/background.hpp"
#include "bisect/trend/rules.hpp"
#include "schema/model/enum_names.hpp"

namespace vigil::trend {

/// What a step has to beat before it is believed.
enum class Rival {
    none,            ///< beaten, all of them
    too_small,       ///< the step is under the smallest that is looked for, or within the noise
    disagreement,    ///< two nights that differ by more than the noise allows
    same_level,      ///< nothing happened: heavy noise, or a level that wanders
    own_noise,       ///< values like these were seen before: spikes, outliers, a second mode
    volatile_spell,  ///< the noise grew wider
    rank,            ///< too many earlier nights were as high
    burst,           ///< an earlier burst of as many nights was as high
};

/// How a supposed step fared.
struct Contest {
    double step = 0;                 ///< size of the step, > 0 in the direction looked at
    double margin = -1e300;          ///< over the nearest rival; > 0: believed
    Rival rival = Rival::too_small;  ///< the nearest
};

/// @param nights  [k] levels of the nights that would be the new level, k >= 2
/// @param sign    +1: looks for a step up; -1: for a step down
Contest contest(
    const Background& before,
    std::span<const double> nights,
    double sign,
    const LevelWatchRules& rules);

/// The step against one rival: believed where `statistic` is above `needed`.
struct Duel {
    Rival rival = Rival::none;
    double statistic = 0;
    double needed = 0;
};

/// The contest against every rival, also those that contest() need not meet any more.
/// @return  empty when the step is too small for any
std::vector<Duel> list_duels(
    const Background& before,
    std::span<const double> nights,
    double sign,
    const LevelWatchRules& rules);

/// Whether so many newest nights together are looked at for a suspicion.
constexpr bool counts_for_suspicion(std::size_t nights) {
    return nights <= 4 || nights == 6;
}

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
         {vigil::trend::Rival::disagreement, "disagreement"},
         {vigil::trend::Rival::same_level, "same level"},
         {vigil::trend::Rival::own_noise, "own noise"},
         {vigil::trend::Rival::volatile_spell, "volatile spell"},
         {vigil::trend::Rival::rank, "rank"},
         {vigil::trend::Rival::burst, "burst"}});
