#pragma once

#include <array>
#include <cstddef>

namespace vigil::search {

/// What the search was tuned to, each constant once. Sizes and spreads are logs (0.05 is 5 %), P is
/// a probability, "freedom" a weight in degrees of freedom. docs/search.md has the equations,
/// docs/figures/rules.md what becomes of right and wrong answers and of the cost where one is half
/// or double.
struct SearchRules {
    // What is told. Of ln(1 + threshold): at least this is a change worth telling, and from this on
    // it is told by itself: one just above the threshold must not be lost.
    double least_share = 0.5;
    double alone_share = 0.9;

    // Noise of a run. A guess stands where no night is known, and is soon unlearned.
    double guessed_time_noise = 0.01;
    double guessed_memory_noise = 1e-3;
    double guess_freedom = 2;
    double history_freedom = 6;  ///< of what earlier nights showed
    double least_noise = 6e-4;
    double robust_price = 1.4;      ///< variance of a robust mean over that of a mean
    double selected_variance = 2;   ///< run variances in what was selected for being large
    double usual_jitter = 0.008;    ///< between builds, where nothing better is known
    double exact_share = 0.02;      ///< of the least change: memory so quiet needs no controls
    double surely_steady = 0.85;    ///< P(offsets of sessions are small), to do without controls
    double small_offset = 0.5;      ///< spreads of a run: offsets up to this are small
    int sessions_to_be_steady = 4;  ///< with controls, before that is believed
    int steady_control_every = 3;   ///< probes: one in so many keeps watch over that
    /// What sessions may differ by, in spreads of a run, and how often they do.
    std::array<double, 7> offsets{0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 24.0};
    std::array<double, 7> offsets_prior{.50, .18, .14, .10, .05, .02, .01};
    double offset_clip_runs = 4;  ///< a control further off is an outlier: spreads of a run,
    double offset_clip_own = 3;   ///< and of the sessions

    // A machine that others use, by the share of processor that runs of wall time had.
    double own_waits = 0.2;      ///< a lower share: it waits for something of its own
    double one_thread = 1.1;     ///< a higher one: several threads, whose share says nothing
    double quiet_shares = 0.05;  ///< ln(share) of one build's runs differs by less: it is quiet
    double share_grain = 0.1;    ///< ln(share) that tells nothing of a run
    double loud = 0.12;          ///< noise that a quiet machine has not, where no share is known
    int disturbed_moments = 4;   ///< there a culprit is measured at so many moments,
    double disturbed_chance = 0.001;  ///< that equal builds show as much, counting every run
    int disturbed_runs = 8;           ///< and so often a side

    // Two modes. Few series have them, and a gap and a share that are fitted explain any runs
    // better.
    double modes_gain = 6;          ///< nats by which they explain the runs better than one
    double modes_apart = 3.5;       ///< gap, of the noise within a mode: nearer ones are one shape
    double modes_runs = 2.5;        ///< runs that each has
    std::size_t modes_freedom = 5;  ///< before two are looked for

    // Where a change is, and how large, before anything is measured.
    double hint_power = 0.7;  ///< of a caller's weights: a wrong hint costs little
    double hint_even = 0.3;   ///< of the prior is even, whatever they say
    std::array<double, 4> changes_prior{.25, .61, .10, .04};  ///< P(so many)
    double worse_prior = 0.85;                                ///< P(for the worse)
    /// A size is about lognormal around the expected one (ln, 0.7): so many Gaussians stand for it.
    std::array<double, 5> sizes{0.35, 0.6, 1.0, 1.7, 2.9};
    std::array<double, 5> sizes_prior{0.115, 0.205, 0.26, 0.205, 0.115};
    double size_spread = 0.3;  ///< of each, of its size
    /// A further change about as small as what is just told is common, whatever the main one is.
    double small_prior = 0.09;
    /// Nothing expected says how large a change cannot be: beyond all sizes P falls as one over it.
    double broad_prior = 0.01;
    double notable = 0.75;  ///< of the least change: from here on one is worth a search

    // What runs and builds scatter by.
    double noise_doubt = 0.5;  ///< deviation of ln(noise) around what was seen
    std::array<double, 4> jitter_prior{.68, .20, .07, .05};
    std::array<double, 4> time_jitter{.002, .006, .012, .022};
    std::array<double, 4> memory_jitter{.0005, .002, .005, .011};
    double nights_freedom = 10;  ///< of the spread of two dozen nights, robust
    /// What of the nights' variance is neither noise nor builds, and how often.
    std::array<double, 3> wandering{0.0, 0.5, 1.0};
    std::array<double, 3> wander_prior{.6, .2, .2};
    std::array<double, 3> wander_prior_if_steady{.85, .075, .075};

    // The ends.
    double surely_small = 0.975;  ///< P(net change below the least): not reproduced
    double maybe_small = 0.5;     ///< the same: the search goes on
    double hardly_small = 0.8;    ///< the same, where the net change is known:
    double well_known = 0.2;      ///< to this error, of the least change
    int end_runs = 4;             ///< a side, before it is not reproduced
    int quiet_end_runs = 2;       ///< the same where noise is small:
    double quiet_ends = 20;       ///< so many times below the least change
    int unknown_end_runs = 2;     ///< first, where no night is known
    double first_end_power = 6;   ///< runs by (noise / expected change) squared, at first
    int most_first_end_runs = 4;
    double later_end_power = 3;  ///< and later
    int most_later_end_runs = 6;
    int most_end_runs = 40;     ///< in all, a side
    int most_left_out = 8;      ///< newest commits that fail; each is built up to three times
    double maybe_beyond = 0.1;  ///< P(no change before them) from which on they may hold it

    // The next probe.
    double least_bits = 0.002;     ///< that the runs of a commit teach, or none is made
    double worth_at_once = 0.75;   ///< of the best probe's rate: more time saved, more builds
    double part_at_once = 0.2;     ///< of the best group's bits, to measure in another group too
    double series_at_once = 0.05;  ///< of the best series' bits, to be measured with it
    double shared_process = 0.5;   ///< of a process' cost, however many series it measures
    int runs_of_one_control = 3;   ///< with more runs than this, a session has two controls
    double gap_worth_it = 0.01;    ///< P(a change in a gap), to look into it
    int kept_builds_weighed = 6;   ///< in a gap
    double repeats = 6;            ///< runs of a commit, by (noise / jitter) squared

    /// How often a commit is built before it counts as broken: alone, beside another failure, and
    /// in a longer stretch. Where one build in ten fails for no reason, two tries would still widen
    /// one answer in thirty; in a broken block every further try is lost.
    std::array<int, 3> tries{3, 2, 1};
    int given_up_stretch = 4;     ///< failures around an untested commit: it is one of them
    double builds_again = 0.3;    ///< P(a commit builds) after a failure
    double fails_beside = 0.7;    ///< more often beside a failure,
    double fails_within = 5;      ///< within so many commits
    double builds_between = 0.7;  ///< of that chance, between two failures

    // Naming.
    double sure = 0.98;              ///< P from which on a culprit is named
    double sure_of_further = 0.99;   ///< a further one must not double the risk of a false name
    double worth_verifying = 0.90;   ///< P(change)
    double doubtful = 0.5;           ///< the same when nothing else teaches
    double may_be_chance = 0.01;     ///< one-sided, of the test of two builds
    double least_of_effect = 0.5;    ///< share of the expected change that the test must see
    double pair_freedom = 6;         ///< of the noise that the test begins with
    double run_penalty = 1.15;       ///< variance of a t-weighted mean over that of a mean
    double first_margin = 0.3;       ///< deviations beyond the test that a round is planned for
    double later_margin = 0.5;       ///< the same for further rounds
    double plain = 8;                ///< effect, of a build's spread: one run may convince,
    double quiet = 0.012;            ///< up to this noise; more runs show further changes
    int most_at_once = 24;           ///< runs a side of a round
    int most_rounds = 8;             ///< of one pair
    int named_moments = 2;           ///< a culprit is measured at so many before it is named,
    int named_runs = 4;              ///< and so often a side
    double small_steps = 0.5;        ///< of the least change: steps between builds, never told
    double layout_outweighs = 0.25;  ///< error, of the jitter: more runs of the two would not tell

    // Further changes.
    double explains_enough = 0.8;  ///< of what the ends differ by, by what is verified: told so
    double may_remain = 0.15;      ///< P(one) that needs no further build
    double open_rest = 0.7;        ///< of the least change: a rest that may be there,
    double open_rest_errors = 1;   ///< if it is so many standard errors too
    double likely_further = 0.5;   ///< P(one in a stretch): it is looked for at any cost
    double hardly_teaches = 0.01;  ///< bits a run: to settle 0.7 bits would take 70 runs
    double hardly_there = 0.05;    ///< of a stretch's probability: gaps at its edges with less
    double worth_a_check = 0.02;   ///< P(a culprit found is another series' too)
};

/// The search reads its rules here. A bench compiles it once more with rules that it can vary.
#ifdef VIGIL_VARIED_RULES
inline SearchRules rule;
#else
inline constexpr SearchRules rule;
#endif

}  // namespace vigil::search
