#include "bisect/detect/session.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "bisect/detect/exact.hpp"
#include "bisect/detect/rules.hpp"
#include "bisect/detect/session_estimate.hpp"
#include "bisect/detect/zeros.hpp"
#include "bisect/stats/distribution.hpp"
#include "schema/model/error.hpp"

namespace vigil::detect {

namespace {

constexpr std::array abba{Side::a, Side::b, Side::b, Side::a};
constexpr std::array baab{Side::b, Side::a, Side::a, Side::b};

/// One direction of the question: is B worse (or, mirrored, better) than A?
struct Claim {
    double above = 0;      ///< P(the change exceeds the threshold)
    bool real = false;     ///< it surely exceeds half the threshold
    double over_half = 0;  ///< change over half the threshold, log
};

struct Picture {
    Estimate estimate;  ///< earlier nights' evidence pooled in
    Claim worse;
    Claim better;
    double tau = 0;
    double standard_error = 0;  ///< of the change, jitter of the builds included
    double sure_by = 0;         ///< errors that a claim is beyond
};

bool is_noisy(double run_noise, const SessionRules& rules) {
    return run_noise > rule.noisy * std::log1p(rules.threshold);
}

/// A few runs of a second mode pass for a level.
int least_blocks(bool noisy, const SessionRules& rules) {
    return static_cast<int>(noisy ? 2 * rule.few : rule.few) + blocks_for_cases(rules.cases);
}

/// Looks are few and at fixed numbers of blocks: 1, 2, 3, 4, 6, 8, 12, 16, ..., each about half as
/// many more.
bool is_look(int blocks) {
    const auto odd =
        static_cast<unsigned>(blocks) >> std::countr_zero(static_cast<unsigned>(blocks));
    return odd == 1 || odd == 3;  // a power of two, or half as many more
}

Claim claim(const Picture& picture, double change, const SessionRules& rules) {
    const Estimate& e = picture.estimate;
    const double deviation = std::sqrt(e.variance);
    const int least = least_blocks(is_noisy(e.run_noise, rules), rules);
    Claim c;
    c.over_half = change - picture.tau / 2;
    c.above = stats::student_t_cdf((change - picture.tau) / deviation, e.freedom);
    c.real = e.blocks >= std::min(least, rules.max_blocks) &&
             c.over_half >= picture.sure_by * deviation &&
             change >= picture.sure_by * picture.standard_error;
    return c;
}

void pool(Estimate& estimate, const SessionEvidence& earlier) {
    const double tonight = 1 / estimate.variance;
    const double before = 1 / earlier.variance;
    estimate.change = (tonight * estimate.change + before * earlier.change) / (tonight + before);
    estimate.variance = 1 / (tonight + before);
    estimate.freedom += earlier.freedom;
}

/// Whether what was told before is about the change that is seen tonight. Asked anew every night,
/// what lies just under the threshold would be filed by the luckiest of the answers.
bool is_reported(const Estimate& tonight, const SessionEvidence& told) {
    const double gap = tonight.change - told.change;
    return told.variance > 0 && told.change >= 2 * std::sqrt(told.variance) &&
           std::abs(gap) <= 2 * std::sqrt(tonight.variance + told.variance);
}

Picture look(std::span<const SessionRun> runs, const SessionRules& rules) {
    Picture picture;
    picture.tau = std::log1p(rules.threshold);
    picture.estimate = estimate_session(runs, rules);
    int new_builds = 1;
    if (rules.earlier) {
        pool(picture.estimate, *rules.earlier);
        new_builds += rules.earlier->builds;
    } else if (rules.told && is_reported(picture.estimate, *rules.told)) {
        pool(picture.estimate, *rules.told);
        new_builds += rules.told->builds;
    }
    // Two builds of the same source may differ by layout alone, where it moves with that.
    const double builds = 1.0 / rules.old_builds + 1.0 / new_builds;
    const double jitter = moves_with_layout(rules.kind) ? rule.build_jitter : 0;
    picture.standard_error = std::sqrt(picture.estimate.variance + builds * jitter * jitter);
    const double sure = 1 - (1 - rule.sure) / rules.cases;
    picture.sure_by = stats::student_t_quantile(sure, picture.estimate.freedom);
    picture.worse = claim(picture, picture.estimate.change, rules);
    picture.better = claim(picture, -picture.estimate.change, rules);
    return picture;
}

std::string figures(const Picture& picture) {
    const double change = std::expm1(picture.estimate.change);
    return fmt::format(
        "{:+.2f} % over {} blocks, above the threshold with a chance of {:.1f} %",
        100 * change,
        picture.estimate.blocks,
        100 * std::min(picture.worse.above, 0.999));  // never told as certain
}

void decide(SessionJudgement& judgement, Verdict verdict, const std::string& why) {
    judgement.decided = true;
    judgement.verdict = verdict;
    judgement.reason = why + ": " + judgement.reason;
}

/// P(above the threshold) at which a session gives up: sooner where runs are noisy, which are
/// better spent on another night.
double hopeless_of(const Estimate& estimate, const SessionRules& rules) {
    return (is_noisy(estimate.run_noise, rules) ? 2 : 1) * (1 - rule.filed);
}

/// Whether a direction that is asked about can be given up.
bool given_up(const Claim& claim, double hopeless, double deviation) {
    return claim.above <= hopeless && !claim.real && claim.over_half < deviation;
}

/// What may be said before the cap.
void judge_early(SessionJudgement& judgement, const Picture& picture, const SessionRules& rules) {
    const Estimate& e = picture.estimate;
    const Claim& worse = picture.worse;
    const Claim& better = picture.better;
    // A night that looked better may have hidden something worse.
    const bool of_worse = rules.asked != Finding::better || worse.above > 0.5;
    const bool of_better = rules.asked != Finding::worse;
    const double deviation = std::sqrt(e.variance);
    const bool half = (e.runs_a + e.runs_b) % block_runs != 0;
    if (e.blocks < rules.least_blocks) return;
    const double hopeless = hopeless_of(e, rules);
    const auto none = [&](double by) {
        return (!of_worse || given_up(worse, hopeless, by)) &&
               (!of_better || given_up(better, hopeless, by));
    };
    if (half || e.blocks == 1) {
        // A robust level needs three runs; before, one outlier could pass for the opposite change.
        const bool apart =
            (of_worse && e.change < -picture.tau) || (of_better && e.change > picture.tau);
        if (none(0) && !apart) decide(judgement, Verdict::noise, "not reproduced");
        return;
    }
    if (worse.above >= rule.filed && worse.real) {
        return decide(judgement, Verdict::regression, "worse beyond the threshold");
    }
    if (better.above >= rule.filed && better.real) {
        return decide(judgement, Verdict::improvement, "better beyond the threshold");
    }
    if (of_worse && worse.above > hopeless) return;
    if (of_better && better.above > hopeless) return;
    if (worse.real) return decide(judgement, Verdict::drift, "a real change below the threshold");
    if (better.real) {
        return decide(judgement, Verdict::noise, "not worse; a little better, below the threshold");
    }
    if (none(deviation)) decide(judgement, Verdict::noise, "not reproduced");
}

/// What is said when more blocks would not help or are not allowed.
void judge_last(SessionJudgement& judgement, const Picture& picture, const SessionRules& rules) {
    const Claim& worse = picture.worse;
    const Claim& better = picture.better;
    if (worse.real && worse.above > 0.5) {
        return decide(judgement, Verdict::regression, "worse, more likely above the threshold");
    }
    if (better.real && better.above > 0.5) {
        return decide(judgement, Verdict::improvement, "better, more likely above the threshold");
    }
    if (worse.real) {
        return decide(judgement, Verdict::drift, "a real change, likely below the threshold");
    }
    if (worse.above <= hopeless_of(picture.estimate, rules)) {
        return decide(judgement, Verdict::noise, "not reproduced");
    }
    decide(judgement, Verdict::watch, "undecided at the last block");
}

Comparison comparison_of(const Picture& picture) {
    const Estimate& e = picture.estimate;
    // Half of a 90 % interval.
    const double reach = stats::student_t_quantile(0.95, e.freedom) * std::sqrt(e.variance);
    Comparison c;
    c.before = e.before;
    c.after = e.after;
    c.change_ratio = std::expm1(e.change);
    c.low = std::expm1(e.change - reach);
    c.high = std::expm1(e.change + reach);
    c.above = picture.worse.above;
    c.runs_before = e.runs_a;
    c.runs_after = e.runs_b;
    const bool within = e.change - reach > -picture.tau && e.change + reach < picture.tau;
    c.finding = picture.worse.real    ? Finding::worse
                : picture.better.real ? Finding::better
                : within              ? Finding::same
                                      : Finding::unknown;
    return c;
}

void check(std::span<const SessionRun> runs, const SessionRules& rules) {
    if (!(rules.threshold > 0) || rules.max_blocks < 1 || rules.cases < 1) {
        throw Error(
            Errc::invalid_argument,
            "judging an A/B session: threshold, number of blocks and of cases must be above 0");
    }
    for (const SessionRun& run : runs) {
        const bool zero = run.value == 0 && rules.kind != MetricKind::time;
        if (std::isfinite(run.value) && (run.value > 0 || zero)) continue;
        throw Error(
            Errc::invalid_argument,
            fmt::format("judging an A/B session: value {} is no value of it", run.value));
    }
}

/// One session, without a thought of another.
SessionJudgement judge_one(std::span<const SessionRun> runs, const SessionRules& rules) {
    SessionJudgement judgement;
    const auto is_a = [](const SessionRun& run) { return run.side == Side::a; };
    const auto runs_a = std::count_if(runs.begin(), runs.end(), is_a);
    if (runs_a == 0 || runs_a == static_cast<std::ptrdiff_t>(runs.size())) {
        judgement.reason = "no runs of both sides yet";
        return judgement;
    }
    if (const auto exact = judge_exactly(runs, rules)) return *exact;

    const Picture picture = look(runs, rules);
    const Estimate& e = picture.estimate;
    judgement.comparison = comparison_of(picture);
    judgement.reason = figures(picture);
    judgement.level_of_old = e.level_a;
    judgement.run_noise = std::max(rules.run_noise, e.seen_noise);
    judgement.evidence = {
        e.change, e.variance, e.freedom, 1 + (rules.earlier ? rules.earlier->builds : 0)};
    const bool last = e.blocks >= rules.max_blocks;
    if (is_look(e.blocks) || last) judge_early(judgement, picture, rules);
    if (!judgement.decided && last) judge_last(judgement, picture, rules);
    return judgement;
}

/// The runs after block `last` as a session of their own.
std::vector<SessionRun> after_block(std::span<const SessionRun> runs, int last) {
    std::vector<SessionRun> rest;
    for (const SessionRun& run : runs) {
        if (run.block > last) rest.push_back({run.side, run.block - last - 1, run.value});
    }
    return rest;
}

/// The second session must see the change by itself, and both together be above the threshold.
SessionJudgement judge_second(
    const SessionJudgement& first, std::span<const SessionRun> rest, SessionRules rules) {
    SessionJudgement judgement = first;
    judgement.decided = false;
    judgement.session = 2;
    judgement.reason = "to be seen a second time: " + first.reason;
    const auto is_a = [](const SessionRun& run) { return run.side == Side::a; };
    const auto runs_a = std::count_if(rest.begin(), rest.end(), is_a);
    const auto size = static_cast<std::ptrdiff_t>(rest.size());
    if (runs_a < 2 || size - runs_a < 2) return judgement;

    const double sign = first.verdict == Verdict::regression ? 1 : -1;
    rules.earlier.reset();
    rules.told.reset();  // the first session has it
    const Picture alone = look(rest, rules);
    rules.earlier = first.evidence;
    --rules.earlier->builds;  // the same new build again
    const Picture both = look(rest, rules);
    const Claim& claimed = sign > 0 ? both.worse : both.better;
    const Estimate& e = alone.estimate;
    const double half = alone.tau / 2;
    const double seen = (sign * e.change - half) / std::sqrt(e.variance);
    const bool agrees = seen >= stats::student_t_quantile(rule.filed, e.freedom);
    const bool denies = seen <= 0 && sign * e.change < half;
    judgement.comparison = comparison_of(both);
    judgement.reason = figures(both);
    judgement.evidence = {both.estimate.change, both.estimate.variance, both.estimate.freedom, 1};
    if (e.blocks < static_cast<int>(rule.few)) return judgement;
    if (agrees && claimed.above > 0.5) {
        decide(judgement, first.verdict, "seen in a second session too");
    } else if (denies && e.blocks >= static_cast<int>(2 * rule.few)) {
        decide(judgement, Verdict::noise, "a second session did not see it");
    } else if (e.blocks >= rules.max_blocks) {
        decide(judgement, Verdict::watch, "a second session was not sure of it");
    }
    return judgement;
}

}  // namespace

int blocks_for_cases(int cases) {
    constexpr auto runs = static_cast<int>(block_runs);
    const int halvings = std::bit_width(static_cast<unsigned>(std::max(cases, 1) - 1));
    return (halvings + runs - 1) / runs;
}

SessionJudgement judge_session(std::span<const SessionRun> runs, const SessionRules& rules) {
    check(runs, rules);
    if (auto absolute = judge_with_zeros(runs, rules)) return std::move(*absolute);
    if (!rules.second_session) return judge_one(runs, rules);
    // Replay: the first session ended where a change was claimed first.
    const int blocks = runs.empty() ? 0 : runs.back().block + 1;
    for (int block = 0; block < blocks; ++block) {
        const auto after = std::find_if(
            runs.begin(), runs.end(), [&](const SessionRun& run) { return run.block > block; });
        const auto first = judge_one({runs.begin(), after}, rules);
        const bool claims = first.decided && (first.verdict == Verdict::regression ||
                                              first.verdict == Verdict::improvement);
        if (claims && is_noisy(first.run_noise, rules)) {
            return judge_second(first, after_block(runs, block), rules);
        }
    }
    return judge_one(runs, rules);
}

std::span<const Side> block_order(int block) {
    return block % 2 == 0 ? std::span<const Side>(abba) : std::span<const Side>(baab);
}

}  // namespace vigil::detect
