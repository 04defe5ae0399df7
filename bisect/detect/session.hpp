#pragma once

#include <optional>
#include <span>
#include <string>

#include "bisect/detect/rules.hpp"
#include "schema/model/comparison.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"

namespace vigil::detect {

enum class Side { a, b };  ///< a: the earlier good build; b: the new one

/// One fresh process of an A/B session, in the order it ran.
struct SessionRun {
    Side side = Side::a;
    int block = 0;     ///< 0, 1, ...: one ABBA or BAAB
    double value = 0;  ///< median of the process, metric's unit, >= 0, of a time > 0
};

/// What an earlier night's session said about the same question, to be pooled. Logs, up = worse.
struct SessionEvidence {
    double change = 0;
    double variance = 0;  ///< of `change`, from the runs alone; 0: nothing was estimated
    double freedom = 1;
    int builds = 1;  ///< different new builds it was made of
};

struct SessionRules {
    Direction direction = Direction::lower_is_better;
    double threshold = 0.07;
    MetricKind kind = MetricKind::time;
    double run_noise = 0;  ///< spread of ln(value) of runs in earlier nights; 0: not known
    double run_skew = 1;   ///< RunNoise::skew of those runs
    int max_blocks = 12;
    Finding asked = Finding::unknown;        ///< worse or better: only this is asked; unknown: both
    int old_builds = 1;                      ///< side a is made of so many builds in turn
    std::optional<SessionEvidence> earlier;  ///< of the nights before, when they ended with `watch`
    /// Of an earlier night's session that has said its verdict and filed nothing: where it saw a
    /// change and tonight's runs agree with it, the same question is asked again, and both answer.
    std::optional<SessionEvidence> told;
    Hopeless hopeless = rule.hopeless_if_better;
    int least_blocks = 1;  ///< before these it is not given up
    /// A noisy series is filed only when a second session of its own runs agrees.
    bool second_session = true;
    /// Judged side by side, each by a session with these rules: that any of so many unchanged ones
    /// is called worse, or better, is as unlikely as it is of one.
    int cases = 1;
};

/// Blocks that a claim needs more where it is one of so many cases. What has two modes falls apart
/// by chance 16 times rarer with each block of four runs.
/// @param cases  >= 1; 1: none more
int blocks_for_cases(int cases);

/// What is known after the blocks so far. Without a verdict, ask for another block.
struct SessionJudgement {
    bool decided = false;
    Verdict verdict = Verdict::watch;  ///< regression, drift, noise, watch or improvement
    Comparison comparison;
    std::string reason;        ///< one line, for a person
    SessionEvidence evidence;  ///< for tomorrow, when the verdict is `watch`
    double level_of_old = 0;   ///< badness of side a as measured, for who asks what moved
    double run_noise = 0;      ///< of one run, the wider of earlier nights' and what both have; log
    int session = 1;           ///< 2: the second session of a noisy series goes on
};

/// Judges an A/B session after each block. Looks at fixed numbers of runs only, so that the chance
/// of a false verdict stays where it was computed; a block that is still half (one pair) can
/// only end the session as noise. Where the series is noisy and the first session finds a change
/// above the threshold, what follows it is judged as a second session.
/// @param runs  whole blocks, in block 0 or 1 also the half of one, in the order they ran; empty:
/// undecided
/// @source  docs/detection.md, "Sessions"
SessionJudgement judge_session(std::span<const SessionRun> runs, const SessionRules& rules);

/// The order of a block's four runs: ABBA and BAAB take turns, so that a drift cancels.
std::span<const Side> block_order(int block);

}  // namespace vigil::detect
