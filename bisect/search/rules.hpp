#pragma once

#include <array>

namespace vigil::search {

/// What the search was tuned to, each number once. Sizes and spreads are logs (0.05 is 5 %), P is a
/// probability, "freedom" a weight in degrees of freedom. docs/search.md has the equations,
/// docs/figures/rules.md what becomes of right and wrong answers and of the cost without them.
struct SearchRules {
    // What is told: a change of half of ln(1 + threshold), and one of this share of it by itself,
    // for one just above the threshold must not be lost.
    double alone_share = 0.9;
    double explains_enough = 0.8;  ///< of what the ends differ by, by what is verified: told so

    // Noise of a run and between builds.
    double guessed_noise = 0.01;  ///< of a time, where no night is known; soon unlearned
    double least_noise = 6e-4;    ///< also the guess for memory and counts
    double freedom = 6;           ///< of what earlier nights showed, and of a test to begin with
    double usual_jitter = 0.008;  ///< between builds

    // A machine that others use, by the share of processor that runs of wall time had.
    double own_waits = 0.2;    ///< a lower share: it waits for something of its own
    double share_grain = 0.1;  ///< ln(share) that tells nothing of a run

    // Two modes. Few series have them, and a gap and a share that are fitted explain any runs
    // better.
    double modes_gain = 6;     ///< nats by which they explain the runs better than one
    double modes_apart = 3.5;  ///< gap, of the noise within a mode: nearer ones are one shape

    // Where changes are, and how large, before anything is measured.
    double no_change = 0.25;       ///< P(none)
    double further_change = 0.15;  ///< P(one more), where there is one; no more needs no build
    double worse_prior = 0.85;     ///< P(for the worse)

    // What is measured.
    int least_runs = 4;           ///< a side, before anything is told of two builds
    int most_runs = 32;           ///< a side, of the ends, and of one verification
    int patience = 8;             ///< verifications of a pair; newest commits that fail
    double least_bits = 0.002;    ///< that the runs of a commit teach, or none is made
    double worth_at_once = 0.75;  ///< of the best probe's rate: more time saved, more builds
    /// The same in a hurry, by the workers: what is idle anyway builds what teaches less.
    double worth_in_a_hurry = 1.5;

    /// How often a commit is built before it counts as broken, less one for each failure beside
    /// it. Where one build in ten fails for no reason, two tries would still widen one answer in
    /// thirty; in a broken block every further try is lost.
    int tries = 3;
    double fails_beside = 0.7;  ///< P(a commit fails) that failed before, or beside one that did

    // Naming.
    double sure = 0.98;             ///< P from which on a culprit is named
    double worth_verifying = 0.90;  ///< P(change)
};

/// The search reads its rules here. A bench compiles it once more with rules that it can vary.
#ifdef VIGIL_VARIED_RULES
inline SearchRules rule;
#else
inline constexpr SearchRules rule;
#endif

/// P(equal builds show as much) up to which two builds differ: a test has two sides.
inline double may_be_chance() {
    return (1 - rule.sure) / 2;
}

/// Variance of a mean with the weights of Student's t of 4 degrees of freedom, over the square of
/// its scale: (4 + 3) / (4 + 1), the inverse of what a run tells of the level.
/// @source  Lange, Little and Taylor 1989, "Robust statistical modeling using the t distribution"
inline constexpr double robust_price = 7 / 5.0;

/// What sessions may differ by, in spreads of a run: nothing, or half of one and its doubles. Each
/// is half as likely as the one before.
inline constexpr std::array offset_steps{0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0};

}  // namespace vigil::search
