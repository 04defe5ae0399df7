#pragma once

#include <cstddef>

#include "bisect/trend/rules.hpp"

namespace vigil::detect {

/// What detection was tuned to, each constant once; bisect/trend/rules.hpp has those of the shape.
/// Levels and spreads are logs, up is worse (0.05 is 5 %), P is a probability. docs/detection.md
/// has the equations, docs/figures/rules.md what is missed, falsely filed and run where one is half
/// or double.
struct DetectRules {
    std::size_t few = 3;  ///< the least number whose median one outlier does not move
    std::size_t week = 7;
    std::size_t baseline_nights = 2 * week;  ///< good ones, whose median is the baseline
    std::size_t noise_nights = 4 * week;     ///< the newest, that teach it
    double surely = trend::outlier;          ///< spreads, beyond which it was not noise
    double sure = 0.999;                     ///< one-sided, that a change is real
    double least_spread = trend::LevelWatchRules{}.least_spread;  ///< of anything that varies

    // What opens a session.
    double highest_bar = 1.25;  ///< of the threshold: more noise than that drowns it
    double nearly = 0.7;  ///< of a bar, or of the threshold where noise_nights are not known yet
    double shape_bar = trend::suspicious;  ///< nats, from which on the shape speaks
    double noisy = 0.6;  ///< of the threshold: nights that tell nothing, runs to see twice
    double stays = trend::most_correlation;  ///< a night: share of what a session saw, and at most
                                             ///< of any night

    // A session.
    double known_freedom = 8;     ///< weight of the noise of earlier nights, in degrees of freedom
    double guessed_noise = 0.01;  ///< where none is known, with a weight of `few`
    double build_jitter = 0.005;  ///< of layout, where a change is called real
    double filed = 0.95;          ///< P at which a change is filed, and less is not

    double changed_prior = 1.0 / 500;  ///< of series and nights

    // Machines: canaries, and storms, where many series of one machine move in one night.
    double machine_move = 0.02;    ///< at least
    std::size_t storm_series = 8;  ///< suspicious ones, at least; and whose old builds are measured
    double storm_share = 0.15;     ///< of all series
};

/// Detection reads its rules here. A bench compiles it once more with rules that it can vary.
#ifdef VIGIL_VARIED_RULES
inline DetectRules rule;
#else
inline constexpr DetectRules rule;
#endif

}  // namespace vigil::detect
