#pragma once

#include <span>
#include <string>

#include "schema/model/comparison.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"

namespace vigil::detect {

enum class Side { a, b };  ///< a: the earlier good build; b: the new one

/// One fresh process of an A/B session, in the order it ran.
struct SessionRun {
    Side side = Side::a;
    int block = 0;     ///< 0, 1, ...: one ABBA or BAAB
    double value = 0;  ///< median of the process, metric's unit, > 0
};

struct SessionRules {
    Direction direction = Direction::lower_is_better;
    double threshold = 0.07;
    MetricKind kind = MetricKind::time;
    double run_noise = 0;  ///< robust spread of ln(value) of runs in earlier nights; 0: not known
    int max_blocks = 12;
};

/// What is known after the blocks so far. Without a verdict, ask for another block.
struct SessionJudgement {
    bool decided = false;
    Verdict verdict = Verdict::watch;  ///< regression, drift, noise, watch or improvement
    Comparison comparison;
    std::string reason;  ///< one line, for a person
};

/// Judges an A/B session after each block (confirmation.md, section 3).
/// @param runs  whole blocks, in the order they ran; empty: undecided
/// @source  docs/decisions (confirmation)
SessionJudgement judge_session(std::span<const SessionRun> runs, const SessionRules& rules);

/// The order of a block's four runs: ABBA and BAAB take turns, so that a drift cancels.
std::span<const Side> block_order(int block);

}  // namespace vigil::detect
