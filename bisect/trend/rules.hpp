#pragma once

namespace vigil::trend {

/// The constants of LevelWatch. Levels are in ln(value): 0.05 is 5 %. "Margin" is by how much the
/// step must beat a rival, in nats unless it says otherwise.
struct LevelWatchRules {
    int kept = 120;             ///< nights remembered
    int level_nights = 90;      ///< of the level before, the latest that count
    int newest = 8;             ///< most nights a new level is looked for in
    int least_level = 12;       ///< nights a level needs before a change is believed
    int least_suspicion = 8;    ///< nights a level needs before one night is suspected
    double least_ratio = 0.05;  ///< smaller steps are not looked for
    double least_spread = 0.002;

    // Margins are for a new level of three nights; where it says so, each further one needs less.
    double same_level = 5.5;          ///< margin over: nothing happened, noise has heavy tails
    double same_level_a_night = 0.3;  ///< less for each night beyond three; so much more for two
    double own_noise = 9;             ///< margin over: values this series has shown before
    double own_noise_a_night = 0.3;   ///< less for each night beyond three
    double own_noise_two = 7.5;       ///< the same, when the new level has two nights only
    double volatile_spell = 2;        ///< margin over: wider noise since a few nights
    double rank = 6;                  ///< margin over: the best ranks among all nights seen
    double rank_two = 4.5;            ///< the same, when the new level has two nights only
    double burst = 0.25;              ///< spreads above the largest earlier burst of as many nights

    /// Two nights far off are as often a burst as a step, and more so the further: of a step above
    /// `large_step` (ln), two nights need so much more over the own noise for each unit above it.
    double large_step = 0.4;
    double large_step_price = 4;
    /// Two nights of a new level lie so many spreads apart at most (or 15 % of the step): of two
    /// that differ by noise alone, nine in ten do.
    double two_apart = 3;

    /// Margin over: wider noise that began in one of the nights before the step.
    double earlier_spell = -1;
    int spell_nights = 12;  ///< before the step in which such a spell may have begun

    /// Nights that resemble the night before them say less: evidence against the own noise counts
    /// ((1 - r) / (1 + r)) to this power, r being the correlation of neighbouring nights.
    double resemblance = 0.5;
    double resemblance_two = 0.25;  ///< the same, when the new level has two nights only

    double background = 8;  ///< weight of never-seen values in the density, nights
    double background_width = 0.105;
    double local_share = 0.7;  ///< how much of the last 12 nights' spread counts
};

}  // namespace vigil::trend
