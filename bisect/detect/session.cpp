#include "bisect/detect/session.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "bisect/detect/exact.hpp"
#include "bisect/detect/session_estimate.hpp"
#include "bisect/stats/distribution.hpp"
#include "schema/model/error.hpp"

namespace vigil::detect {

namespace {

constexpr std::array abba{Side::a, Side::b, Side::b, Side::a};
constexpr std::array baab{Side::b, Side::a, Side::a, Side::b};
constexpr std::array checkpoints{1, 2, 3, 4, 6, 8, 12};
constexpr double most_pairs = 0.65;  // a level that a few outliers moved is not a change
constexpr double sure = 0.999;       // one-sided level of "real", both for noise and for jitter

/// One direction of the question: is B worse (or, mirrored, better) than A?
struct Claim {
    double above = 0;      ///< P(the change exceeds the threshold)
    bool real = false;     ///< it surely exceeds half the threshold
    double over_half = 0;  ///< change over half the threshold, log
};

struct Picture {
    Estimate estimate;
    Claim worse;
    Claim better;
    double tau = 0;
    double standard_error = 0;  ///< of the change, jitter of two builds included
    bool jitter_limited = false;
};

/// A step this large and clean needs no third block: every B run lies beyond every A run by the
/// whole threshold.
bool clearly_apart(const Estimate& estimate, double tau) {
    return estimate.gap_worse > tau || estimate.gap_better > tau;
}

Claim claim(const Picture& picture, double change, double pairs, const SessionRules& rules) {
    const Estimate& e = picture.estimate;
    const double half = picture.tau / 2;
    const double deviation = std::sqrt(e.variance);
    const double t = stats::student_t_quantile(sure, e.freedom);
    const bool noisy = e.run_noise > 0.6 * picture.tau;
    const bool enough =
        (e.blocks >= 3 && (!noisy || e.blocks >= std::min(6, rules.max_blocks))) ||
        (e.blocks == 2 && !noisy && (deviation < half / 6 || clearly_apart(e, picture.tau)));
    Claim c;
    c.over_half = change - half;
    c.above = stats::student_t_cdf((change - picture.tau) / picture.standard_error, e.freedom);
    c.real = enough && pairs >= most_pairs && c.over_half >= t * deviation &&
             change >= t * picture.standard_error;
    return c;
}

Picture look(std::span<const SessionRun> runs, const SessionRules& rules) {
    Picture picture;
    picture.tau = std::log1p(rules.threshold);
    picture.estimate = estimate_session(runs, rules);
    // Two builds of the same source may differ by layout alone; memory has no such jitter.
    const double jitter = rules.kind == MetricKind::memory ? 0.0 : 0.005;
    const double jitter_variance = 2 * jitter * jitter;
    picture.standard_error = std::sqrt(picture.estimate.variance + jitter_variance);
    picture.jitter_limited = picture.estimate.variance < jitter_variance / 4;
    picture.worse = claim(picture, picture.estimate.change, picture.estimate.pairs_worse, rules);
    picture.better = claim(picture, -picture.estimate.change, picture.estimate.pairs_better, rules);
    return picture;
}

std::string figures(const Picture& picture) {
    const double change = std::expm1(picture.estimate.change);
    return fmt::format(
        "{:+.2f} % over {} blocks, P(above the threshold) {:.3f}",
        100 * change,
        picture.estimate.blocks,
        picture.worse.above);
}

void decide(SessionJudgement& judgement, Verdict verdict, const std::string& why) {
    judgement.decided = true;
    judgement.verdict = verdict;
    judgement.reason = why + ": " + judgement.reason;
}

/// What may be said before the cap.
void judge_early(SessionJudgement& judgement, const Picture& picture) {
    const auto& [e, worse, better, tau, error, limited] = picture;
    if (e.blocks == 1) {
        const bool small = worse.over_half < 0 && better.over_half < 0;
        if (small && e.widest_pair + 1.77 * e.run_noise <= tau) {
            decide(judgement, Verdict::noise, "no pair of runs comes near the threshold");
        }
        return;
    }
    if (worse.above >= 0.95 && worse.real) {
        return decide(judgement, Verdict::regression, "worse beyond the threshold");
    }
    if (better.above >= 0.95 && better.real) {
        return decide(judgement, Verdict::improvement, "better beyond the threshold");
    }
    if (worse.above > 0.05 || better.above > 0.05) return;
    if (worse.real) return decide(judgement, Verdict::drift, "a real change below the threshold");
    if (better.real) {
        return decide(judgement, Verdict::noise, "not worse; a little better, below the threshold");
    }
    const double deviation = std::sqrt(e.variance);
    if (worse.over_half < deviation && better.over_half < deviation) {
        decide(judgement, Verdict::noise, "not reproduced");
    }
}

/// What is said when more blocks would not help or are not allowed.
void judge_last(SessionJudgement& judgement, const Picture& picture) {
    const auto& [e, worse, better, tau, error, limited] = picture;
    if (worse.real && worse.above > 0.5) {
        return decide(judgement, Verdict::regression, "worse, more likely above the threshold");
    }
    if (better.real && better.above > 0.5) {
        return decide(judgement, Verdict::improvement, "better, more likely above the threshold");
    }
    if (worse.real && worse.above <= (limited ? 0.5 : 0.2)) {
        return decide(judgement, Verdict::drift, "a real change, likely below the threshold");
    }
    if (!worse.real && worse.above <= 0.2) {
        return decide(judgement, Verdict::noise, "not reproduced");
    }
    decide(judgement, Verdict::watch, "undecided at the last block");
}

Comparison comparison_of(const Picture& picture) {
    const Estimate& e = picture.estimate;
    const double reach = stats::student_t_quantile(0.95, e.freedom) * picture.standard_error;
    Comparison c;
    c.before = e.before;
    c.after = e.after;
    c.change_ratio = std::expm1(e.change);
    c.low = std::expm1(e.change - reach);
    c.high = std::expm1(e.change + reach);
    c.above = picture.worse.above;
    c.runs_before = e.runs_a;
    c.runs_after = e.runs_b;
    const bool inside = e.change - reach > -picture.tau && e.change + reach < picture.tau;
    c.finding = picture.worse.real    ? Finding::worse
                : picture.better.real ? Finding::better
                : inside              ? Finding::same
                                      : Finding::unknown;
    return c;
}

void check(std::span<const SessionRun> runs, const SessionRules& rules) {
    if (!(rules.threshold > 0) || rules.max_blocks < 1) {
        throw Error(
            Errc::invalid_argument,
            "judging an A/B session: threshold and number of blocks must be above 0");
    }
    for (const SessionRun& run : runs) {
        if (std::isfinite(run.value) && run.value > 0) continue;
        throw Error(
            Errc::invalid_argument,
            fmt::format("judging an A/B session: value {} is not above 0", run.value));
    }
}

}  // namespace

SessionJudgement judge_session(std::span<const SessionRun> runs, const SessionRules& rules) {
    check(runs, rules);
    SessionJudgement judgement;
    const auto is_a = [](const SessionRun& run) { return run.side == Side::a; };
    const auto runs_a = std::count_if(runs.begin(), runs.end(), is_a);
    if (runs_a == 0 || runs_a == static_cast<std::ptrdiff_t>(runs.size())) {
        judgement.reason = "no runs of both sides yet";
        return judgement;
    }
    if (const auto exact = judge_exactly(runs, rules)) return *exact;

    const Picture picture = look(runs, rules);
    judgement.comparison = comparison_of(picture);
    judgement.reason = figures(picture);
    const int blocks = picture.estimate.blocks;
    const bool last = blocks >= rules.max_blocks;
    // Looking only at these blocks keeps the chance of a false verdict where it was computed.
    const bool due =
        std::find(checkpoints.begin(), checkpoints.end(), blocks) != checkpoints.end() ||
        blocks > checkpoints.back();
    if (due || last) judge_early(judgement, picture);
    const bool no_further = last || (due && blocks >= 3 && picture.jitter_limited);
    if (!judgement.decided && no_further) judge_last(judgement, picture);
    return judgement;
}

std::span<const Side> block_order(int block) {
    return block % 2 == 0 ? std::span<const Side>(abba) : std::span<const Side>(baab);
}

}  // namespace vigil::detect
