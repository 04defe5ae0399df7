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
constexpr std::array checkpoints{1, 2, 3, 4, 6, 8, 12, 16, 20, 24};

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
    double stated_error = 0;    ///< the same for what is told
    double sure_by = 0;         ///< errors that a claim is beyond
    bool jitter_limited = false;
};

/// A step this large and clean needs no third block: every B run lies beyond every A run by the
/// whole threshold. Runs of two modes that far apart do the same once in 256 sessions of two
/// blocks, where both modes are as frequent; the spread of such runs is a threshold over the usual
/// range of a night's runs, 0.45 of it for three runs and 0.35 for five.
bool clearly_apart(const Estimate& estimate, double tau) {
    if (estimate.seen_noise > tau / rule.clear_noise_by) return false;
    return estimate.gap_worse > tau || estimate.gap_better > tau;
}

bool is_noisy(double run_noise, const SessionRules& rules) {
    return run_noise > rule.noisy * std::log1p(rules.threshold);
}

Claim claim(const Picture& picture, double change, double pairs, const SessionRules& rules) {
    const Estimate& e = picture.estimate;
    const double half = picture.tau / 2;
    const double deviation = std::sqrt(e.variance);
    const bool noisy = e.run_noise > rule.noisy * picture.tau;
    // A few runs of a second mode pass for a level; a fourth block tells them apart.
    const bool skewed = std::max(rules.run_skew, 1 / rules.run_skew) > rule.skewed;
    const int more = blocks_for_cases(rules.cases);
    const int few = (skewed ? rule.skewed_blocks : rule.least_blocks) + more;
    const int if_noisy = rule.noisy_blocks + more;
    const bool enough = (e.blocks >= std::min(few, rules.max_blocks) &&
                         (!noisy || e.blocks >= std::min(if_noisy, rules.max_blocks))) ||
                        (e.blocks < few && e.blocks >= rule.clear_blocks + more && !noisy &&
                         (deviation < half / rule.tiny_error_by || clearly_apart(e, picture.tau)));
    Claim c;
    c.over_half = change - half;
    c.above = stats::student_t_cdf((change - picture.tau) / picture.stated_error, e.freedom);
    c.real = enough && pairs >= rule.most_pairs && c.over_half >= picture.sure_by * deviation &&
             change >= picture.sure_by * picture.standard_error;
    return c;
}

void pool(Estimate& estimate, const SessionEvidence& earlier) {
    const double tonight = 1 / estimate.variance;
    const double before = 1 / earlier.variance;
    estimate.change = (tonight * estimate.change + before * earlier.change) / (tonight + before);
    estimate.variance = 1 / (tonight + before);
    estimate.freedom += rule.pooled_freedom;
}

/// Whether what was told before is about the change that is seen tonight. Asked anew every night,
/// what lies just under the threshold would be filed by the luckiest of the answers.
bool is_reported(const Estimate& tonight, const SessionEvidence& told) {
    const double gap = tonight.change - told.change;
    return told.variance > 0 && told.change >= rule.told_change * std::sqrt(told.variance) &&
           gap * gap <= rule.told_apart * rule.told_apart * (tonight.variance + told.variance);
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
    const double unit = moves_with_layout(rules.kind) ? builds : 0;
    const double jitter_variance = unit * rule.build_jitter * rule.build_jitter;
    const double variance = picture.estimate.variance;
    picture.standard_error = std::sqrt(variance + jitter_variance);
    picture.stated_error = std::sqrt(variance + unit * rule.stated_jitter * rule.stated_jitter);
    // More runs of the same builds help only where they still tell on which side of the threshold
    // these builds lie.
    const double from_threshold = std::abs(std::abs(picture.estimate.change) - picture.tau);
    picture.jitter_limited = variance < jitter_variance / rule.layout_by &&
                             from_threshold > rule.layout_errors * std::sqrt(variance);
    const double sure = 1 - (1 - rule.sure) / rules.cases;
    picture.sure_by = stats::student_t_quantile(sure, picture.estimate.freedom);
    picture.worse = claim(picture, picture.estimate.change, picture.estimate.pairs_worse, rules);
    picture.better = claim(picture, -picture.estimate.change, picture.estimate.pairs_better, rules);
    return picture;
}

std::string figures(const Picture& picture) {
    const double change = std::expm1(picture.estimate.change);
    return fmt::format(
        "{:+.2f} % over {} blocks, above the threshold with a chance of {:.1f} %",
        100 * change,
        picture.estimate.blocks,
        100 * std::min(picture.worse.above, 0.999));
}

void decide(SessionJudgement& judgement, Verdict verdict, const std::string& why) {
    judgement.decided = true;
    judgement.verdict = verdict;
    judgement.reason = why + ": " + judgement.reason;
}

/// Whether a direction that is asked about can be given up.
bool given_up(const Claim& claim, double limit, double deviation) {
    return claim.above <= limit && !claim.real && claim.over_half < deviation;
}

/// What may be said before the cap.
void judge_early(SessionJudgement& judgement, const Picture& picture, const SessionRules& rules) {
    const Estimate& e = picture.estimate;
    const Claim& worse = picture.worse;
    const Claim& better = picture.better;
    // A night that looked better may have hidden something worse.
    const bool of_worse = rules.asked != Finding::better || worse.above > rule.likely_above;
    const bool of_better = rules.asked != Finding::worse;
    const double deviation = std::sqrt(e.variance);
    // Where the noise is as large as the threshold, runs are better spent on another night.
    const double enough = e.run_noise > rule.drowned * picture.tau
                              ? rule.hopeless_if_drowned * rules.hopeless.later
                              : rules.hopeless.later;
    const bool half = (e.runs_a + e.runs_b) % 4 != 0;
    if (e.blocks < rules.least_blocks) return;
    if (half && e.blocks == 2) {
        const bool none = (!of_worse || given_up(worse, enough, 0)) &&
                          (!of_better || given_up(better, enough, 0));
        if (none) decide(judgement, Verdict::noise, "not reproduced");
        return;
    }
    if (e.blocks == 1) {
        // A robust level needs three runs; before, one outlier could pass for the opposite change.
        const bool apart =
            (of_worse && e.change < -picture.tau) || (of_better && e.change > picture.tau);
        const bool none = (!of_worse || given_up(worse, rules.hopeless.at_once, 0)) &&
                          (!of_better || given_up(better, rules.hopeless.at_once, 0));
        if (none && !apart) decide(judgement, Verdict::noise, "not reproduced");
        return;
    }
    // What a second session has to see again needs less the first time.
    const double surely =
        is_noisy(rules.run_noise, rules) && rules.second_session ? rule.filed_if_twice : rule.filed;
    if (worse.above >= surely && worse.real) {
        return decide(judgement, Verdict::regression, "worse beyond the threshold");
    }
    if (better.above >= surely && better.real) {
        return decide(judgement, Verdict::improvement, "better beyond the threshold");
    }
    if (of_worse && worse.above > enough) return;
    if (of_better && better.above > enough) return;
    if (worse.real) return decide(judgement, Verdict::drift, "a real change below the threshold");
    if (better.real) {
        return decide(judgement, Verdict::noise, "not worse; a little better, below the threshold");
    }
    if ((!of_worse || given_up(worse, enough, deviation)) &&
        (!of_better || given_up(better, enough, deviation))) {
        decide(judgement, Verdict::noise, "not reproduced");
    }
}

/// What is said when more blocks would not help or are not allowed.
void judge_last(SessionJudgement& judgement, const Picture& picture) {
    const Claim& worse = picture.worse;
    const Claim& better = picture.better;
    if (worse.real && worse.above > rule.likely_above) {
        return decide(judgement, Verdict::regression, "worse, more likely above the threshold");
    }
    if (better.real && better.above > rule.likely_above) {
        return decide(judgement, Verdict::improvement, "better, more likely above the threshold");
    }
    if (worse.real &&
        worse.above <= (picture.jitter_limited ? rule.likely_above : rule.hardly_above)) {
        return decide(judgement, Verdict::drift, "a real change, likely below the threshold");
    }
    if (!worse.real && worse.above <= rule.hardly_above) {
        return decide(judgement, Verdict::noise, "not reproduced");
    }
    decide(judgement, Verdict::watch, "undecided at the last block");
}

Comparison comparison_of(const Picture& picture) {
    const Estimate& e = picture.estimate;
    const double reach = stats::student_t_quantile(0.95, e.freedom) * picture.stated_error;
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
    const bool due =
        std::find(checkpoints.begin(), checkpoints.end(), e.blocks) != checkpoints.end() ||
        e.blocks > checkpoints.back();
    if (due || last) judge_early(judgement, picture, rules);
    const int least = rule.least_blocks + blocks_for_cases(rules.cases);
    const bool no_further = last || (due && e.blocks >= least && picture.jitter_limited);
    if (!judgement.decided && no_further) judge_last(judgement, picture);
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
    const bool agrees = seen >= stats::student_t_quantile(rule.seen_again, e.freedom);
    const bool denies = seen <= 0 && sign * e.change < half;
    judgement.comparison = comparison_of(both);
    judgement.reason = figures(both);
    judgement.evidence = {both.estimate.change, both.estimate.variance, both.estimate.freedom, 1};
    if (e.blocks < rule.second_blocks) return judgement;
    if (agrees && claimed.above > rule.likely_above) {
        decide(judgement, first.verdict, "seen in a second session too");
    } else if (denies && e.blocks >= rule.denied_blocks) {
        decide(judgement, Verdict::noise, "a second session did not see it");
    } else if (e.blocks >= rules.max_blocks) {
        decide(judgement, Verdict::watch, "a second session was not sure of it");
    }
    return judgement;
}

}  // namespace

int blocks_for_cases(int cases) {
    constexpr int runs_of_a_block = 4;
    const int halvings = std::bit_width(static_cast<unsigned>(std::max(cases, 1) - 1));
    return (halvings + runs_of_a_block - 1) / runs_of_a_block;
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
