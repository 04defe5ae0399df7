#pragma once

#include <cstddef>

namespace vigil::trend {

/// The constants of LevelWatch. Levels are in ln(value): 0.05 is 5 %.
struct LevelWatchRules {
    int kept = 120;  ///< nights remembered
    int newest = 8;  ///< most nights a new level is looked for in, and fewest of an old one
    double least_ratio = 0.05;  ///< smaller steps are not looked for
    double least_spread = 6e-4;
    double local_share = 0.7;     ///< how much of the newest nights' spread counts
    double unseen_width = 0.105;  ///< of the density of values never seen
    double own_noise = 12;  ///< nats over values this series has shown before; half a nat less
                            ///< for each night of the new level
    double own_noise_of_two = 9.5;  ///< the same where these are two

    /// Nights a level needs before a change of it is believed.
    constexpr int least_level() const { return newest + newest / 2; }
    /// What so many nights of a new level need over the series' own noise, nats.
    constexpr double needed(std::size_t nights) const {
        return nights == 2 ? own_noise_of_two : own_noise - static_cast<double>(nights) / 2;
    }
};

/// A suspicion of so many nats is worth a measurement of its own.
inline constexpr double suspicious = 4.5;
inline constexpr double outlier = 4;  ///< spreads, beyond which values are cut
/// Change ratio: smaller changes of a past level, and of what is told of one, are not told.
inline constexpr double least_told = 0.01;
inline constexpr double most_correlation = 0.9;  ///< of neighbours that is believed
inline constexpr double plausible_nats = 2;  ///< a start of a level within so many of the likeliest

}  // namespace vigil::trend
