#pragma once

#include <cstddef>

namespace vigil::detect {

/// P(above the threshold) at which a session gives up: in its first block, and later.
struct Hopeless {
    double at_once;
    double later;
};

/// What detection was tuned to, each constant once; bisect/trend/rules.hpp has those of the shape.
/// Levels and spreads are logs, up is worse (0.05 is 5 %), P is a probability, "freedom" a weight
/// in degrees of freedom, and "by" a divisor. docs/detection.md has the equations,
/// docs/figures/rules.md what is missed, falsely filed and run where one is half or double.
struct DetectRules {
    // Noise, learned from nights.
    std::size_t noise_nights = 28;  ///< the newest, that teach it
    double least_spread = 6e-4;     ///< assumed of anything that varies
    std::size_t range_nights = 3;   ///< that a spread of runs needs
    double range_quantile = 0.75;   ///< of the ranges: the middle one is blind to a second mode
    std::size_t skew_nights = 10;   ///< that a skew needs
    double skew_cut = 4;            ///< middle ranges, beyond which a tail is an outlier
    double skew_by_chance = 1.2;    ///< ratio of tails; symmetric runs give 1.4, at little cost
    double skew_slope = 1.2;
    double widest_skew = 1.8;
    double relevelled = 0.1;         ///< change of noise or skew: nights are levelled anew
    double level_variance = 0.64;    ///< of the fit of a night's level, of the runs' variance
    double night_of_nights = 1.04;   ///< of the nights' spread: a little more than Gaussian
    double night_of_runs = 0.67;     ///< of the runs' spread, at least
    std::size_t memory_nights = 14;  ///< that a correlation of neighbours needs
    double memory_clip = 3;          ///< spreads
    double memory_slope = 1.3;       ///< a correlation over few nights is seen too small
    double memory_bias = 0.1;
    double most_memory = 0.9;

    // The bar. Of the threshold where it says so.
    std::size_t baseline_nights = 14;   ///< good ones
    std::size_t nights_of_a_level = 4;  ///< fewer hardly differ from their own median
    std::size_t fresh_nights = 4;       ///< a step may hide in where nights vary
    double night_spreads = 1.1;         ///< at least so many spreads of a night
    double lowest_bar = 0.56;           ///< of the threshold
    double highest_bar = 1.25;          ///< of it: more noise than that drowns it
    double young_bar = 0.7;             ///< of it, until noise_nights are known
    std::size_t bar_rank = 3;           ///< largest of the nights known: what it reaches is no news
    /// Of a mean of two nights, in bars of such a mean. 1: as unlikely by noise as one night.
    double two_nights = 1.05;
    double two_nights_tonight = 0.5;  ///< of the bar, by tonight alone
    double shape_bar = 4.5;           ///< nats, from which on the shape speaks
    double shape_news = 0.75;         ///< of the bar: news beside what was expected

    // What earlier nights explain.
    std::size_t told_nights = 8;  ///< that a session's finding is about the same change
    double machine_stays = 0.9;   ///< a night: share of what the machine did
    double change_stays = 0.9;    ///< and of the change that was seen
    double gone_back = 0.85;      ///< of that once a night has gone back: others may come

    // The old builds of a session.
    std::size_t old_builds = 3;
    double varying_by = 6;     ///< of the threshold: a spread above it hides a step,
    double varying_bar = 0.8;  ///< or a bar above this share
    double usual_by = 2;       ///< of the threshold: above the baseline, still usual
    double usual_if_calm_by = 4;

    // What else is asked.
    std::size_t enough_nights = 7;   ///< of a level, to tell noise from a change
    double too_noisy = 0.6;          ///< of the threshold: nights that tell nothing
    double better_spreads = 4;       ///< a night that looks better is in no hurry
    double surely_recovered = 2;     ///< night spreads beyond the middle of both levels
    double twice_recovered = 1.1;    ///< the same of a mean of two nights, in its own spreads
    int most_doublings = 4;          ///< of the nights between two questions about a recovery
    double outstanding = 3;          ///< night spreads, within
    double least_outstanding = 0.7;  ///< of the threshold and the threshold

    // Sums of small changes.
    std::size_t oldest_nights = 7;  ///< of a level, that the newest are held against
    std::size_t newest_nights = 3;
    std::size_t creep_nights = 6;    ///< of a level, at least
    double creep_errors = 3;         ///< standard errors
    double creep_tonight = 0.7;      ///< of the threshold: the newest night agrees
    double tolerated_spreads = 2.5;  ///< of a night that is still at the base, within
    double least_tolerated_by = 7;   ///< of the threshold,
    double most_tolerated_by = 2;
    std::size_t beside_step = 3;  ///< nights on each side of a step within a sum
    double step_at_once_by = 3;   ///< of a step: nights that climb one by one are none
    std::size_t creep_rest = 14;  ///< nights after a sum that was not filed
    double creep_growth = 0.25;   ///< of the threshold: then it is raised sooner

    // The fit of a session.
    double known_freedom = 8;  ///< of the noise of earlier nights
    double guess_freedom = 3;  ///< of a guess where none is known
    double guessed_noise = 0.01;
    double scale_of_spread = 0.8;      ///< the fit's scale, for a Gaussian spread of 1
    double least_variance_by = 2;      ///< of what was known
    double level_price = 1.6;          ///< variance of a level; simulated: 1.35 for t3 runs,
    double level_price_of_skew = 0.5;  ///< less for skewed ones that are fitted as such
    double levelled_blocks = 0.49;     ///< of the variance: the noise sits between blocks
    double pooled_freedom = 20;
    double told_change = 3;        ///< standard errors: an earlier session saw a change,
    double told_apart = 1.5;       ///< and tonight's lies within so many of it
    double build_jitter = 0.005;   ///< of layout, where a change is called real
    double stated_jitter = 0.001;  ///< and in what is told

    // What a session says. P is P(above the threshold).
    double sure = 0.999;       ///< one-sided, that a change is real
    double most_pairs = 0.65;  ///< of all pairs show it: a few outliers move a level
    int least_blocks = 3;      ///< before a change is real,
    int skewed_blocks = 4;     ///< for skewed runs: a few of a second mode pass for a level
    int noisy_blocks = 6;      ///< for noisy ones
    int clear_blocks = 2;      ///< where the error is tiny or both sides are clearly apart
    double skewed = 1.3;
    double noisy = 0.6;              ///< noise of a run, of the threshold
    double tiny_error_by = 6;        ///< of half the threshold
    double clear_noise_by = 3;       ///< of the threshold
    double filed = 0.95;             ///< P at which a change is filed
    double filed_if_twice = 0.85;    ///< the same where a second session must see it again
    double drowned = 0.9;            ///< noise of a run, of the threshold: runs are better spent on
    double hopeless_if_drowned = 2;  ///< another night, and it gives up so many times sooner
    double likely_above = 0.5;       ///< P at the last block,
    double hardly_above = 0.2;       ///< and for drift and noise
    double layout_by = 4;            ///< of the layout's variance: more runs would not tell,
    double layout_errors = 2.5;      ///< so far from the threshold
    double seen_again = 0.95;        ///< of the second session, one-sided
    int second_blocks = 3;           ///< of the second session, at least,
    int denied_blocks = 6;           ///< and before it denies the first
    Hopeless hopeless{0.085, 0.1};
    Hopeless hopeless_if_above{0.02, 0.04};  ///< the night itself speaks for more patience
    Hopeless hopeless_if_better{0.03, 0.05};
    Hopeless hopeless_if_recovered{0.02, 0.02};
    Hopeless hopeless_if_either{0.08, 0.15};  ///< nothing speaks for a change

    // Nights and sessions.
    std::size_t runs_in_halves = 8;  ///< one pair often shows that the night was to blame
    double hasty_nights = 4;         ///< night spreads: the old build is off its level, or
    double hasty_runs = 3;           ///< run spreads: the new one off tonight's. More runs tell
    int watched_nights = 3;          ///< sessions that one question may take
    int better_blocks = 3;           ///< at most: nothing is filed, only the baseline begins anew
    int recovered_blocks = 3;        ///< at least: a regression is not closed in haste
    double still_there = 0.7;        ///< P: it has not recovered
    double machine_spreads = 3.5;    ///< night spreads of the old build: the machine moved

    // Whose turn it is.
    double changed_prior = 1.0 / 500;  ///< of series and nights
    double usual_change = 0.08;
    double change_spread = 0.8;    ///< of the logarithm of a change
    double better_worth = 0.5;     ///< of a question whose answer files nothing
    int telling_nights = 4;        ///< more nights that resemble each other say no more
    std::size_t known_nights = 4;  ///< of a level, before its own noise counts,
    double usual_noise = 0.03;     ///< at least this until then
    int held_runs = 12;            ///< for a session that has begun: a finding needs three blocks

    // Machines: canaries, and storms, where many series of one machine move in one night.
    int canary_nights = 5;  ///< of a chart before it can tell
    double canary_spreads = 4;
    double canary_unsure = 4;       ///< wider by so much, by nights
    double canary_bound = 0.02;     ///< at least
    int storm_suspicious = 8;       ///< series, at least,
    double storm_share = 0.15;      ///< and of all
    std::size_t storm_middle = 20;  ///< series whose middle one tells by itself,
    double storm_move = 0.02;       ///< beyond this
    int storm_series = 8;           ///< whose old builds are measured again,
    int storm_runs = 2;             ///< so often each
    double machine_share = 0.5;     ///< of the move, by the old builds: it was the machine,
    double machine_series = 0.7;    ///< in so many of the series
    double code_share = 0.25;       ///< at most: it was the code
    double code_series = 0.3;
};

/// Detection reads its rules here. A bench compiles it once more with rules that it can vary.
#ifdef VIGIL_VARIED_RULES
inline DetectRules rule;
#else
inline constexpr DetectRules rule;
#endif

}  // namespace vigil::detect
