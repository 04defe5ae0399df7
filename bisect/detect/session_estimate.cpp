#include "bisect/detect/session_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "bisect/detect/noise.hpp"
#include "bisect/detect/rules.hpp"
#include "bisect/stats/distribution.hpp"
#include "bisect/stats/summary.hpp"

namespace vigil::detect {

namespace {

constexpr int sweeps = 12;

struct Sample {
    Side side;
    int block;
    double z;
};

struct Fit {
    double a = 0;
    double b = 0;
    double scale = 0;       ///< variance of one run
    double free_scale = 0;  ///< the same without the prior
    double freedom = 1;
};

struct Prior {
    double variance;
    double freedom;
    double skew;
};

double side_median(const std::vector<Sample>& samples, Side side) {
    std::vector<double> z;
    for (const Sample& s : samples) {
        if (s.side == side) z.push_back(s.z);
    }
    return stats::median(z);
}

/// @param spent  degrees of freedom already spent on block levels
Fit fit_sides(const std::vector<Sample>& samples, const Prior& prior, double spent) {
    const double own = std::max(static_cast<double>(samples.size()) - 2 - spent, 0.0);
    Fit fit;
    fit.a = side_median(samples, Side::a);
    fit.b = side_median(samples, Side::b);
    fit.freedom = prior.freedom + own;
    fit.scale = prior.variance;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        double sum_a = 0, weight_a = 0, sum_b = 0, weight_b = 0, squares = 0;
        for (const Sample& s : samples) {
            const double r = s.z - (s.side == Side::a ? fit.a : fit.b);
            const double side = side_variance(r, 1, prior.skew);
            const double weight = stats::t4_weight(r * r / (fit.scale * side)) / side;
            squares += weight * r * r;
            (s.side == Side::a ? sum_a : sum_b) += weight * s.z;
            (s.side == Side::a ? weight_a : weight_b) += weight;
        }
        fit.a = sum_a / weight_a;
        fit.b = sum_b / weight_b;
        fit.scale = std::max(
            (prior.freedom * prior.variance + squares) / fit.freedom,
            prior.variance / rule.least_variance_by);
        fit.free_scale = own > 0 ? squares / own : 0;
    }
    return fit;
}

/// Variance of a side's level times its runs, in units of the fitted scale.
double variance_factor(double skew) {
    const double away = std::max(skew, 1 / skew) - 1;
    return rule.level_price - rule.level_price_of_skew * away;
}

/// Takes each block's median off; what the blocks share stays.
std::vector<Sample> level_blocks(const std::vector<Sample>& samples) {
    std::map<int, std::vector<double>> blocks;
    for (const Sample& s : samples) blocks[s.block].push_back(s.z);
    std::map<int, double> medians;
    for (const auto& [block, z] : blocks) medians[block] = stats::median(z);
    std::vector<Sample> levelled = samples;
    for (Sample& s : levelled) s.z -= medians[s.block];
    return levelled;
}

void measure_gaps(const std::vector<Sample>& samples, Estimate& estimate) {
    constexpr double far = std::numeric_limits<double>::infinity();
    double low_a = far, high_a = -far, low_b = far, high_b = -far;
    for (const Sample& s : samples) {
        double& low = s.side == Side::a ? low_a : low_b;
        double& high = s.side == Side::a ? high_a : high_b;
        low = std::min(low, s.z);
        high = std::max(high, s.z);
    }
    estimate.gap_worse = low_b - high_a;
    estimate.gap_better = low_a - high_b;
}

/// Counts pairs over the margin: a few outliers move a level, but not most of the pairs.
void count_pairs(const std::vector<Sample>& samples, double margin, Estimate& estimate) {
    double worse = 0, better = 0;
    for (const Sample& a : samples) {
        if (a.side != Side::a) continue;
        for (const Sample& b : samples) {
            if (b.side != Side::b) continue;
            worse += b.z - a.z > margin;
            better += a.z - b.z > margin;
        }
    }
    const double pairs = static_cast<double>(estimate.runs_a) * estimate.runs_b;
    estimate.pairs_worse = worse / pairs;
    estimate.pairs_better = better / pairs;
}

}  // namespace

Estimate estimate_session(std::span<const SessionRun> runs, const SessionRules& rules) {
    const double sign = rules.direction == Direction::lower_is_better ? 1 : -1;
    std::vector<Sample> samples;
    std::map<int, int> blocks;
    Estimate estimate;
    for (const SessionRun& run : runs) {
        samples.push_back({run.side, run.block, sign * std::log(run.value)});
        ++blocks[run.block];
        ++(run.side == Side::a ? estimate.runs_a : estimate.runs_b);
    }
    estimate.blocks = static_cast<int>(blocks.size());
    const bool known = rules.run_noise > 0;
    estimate.run_noise = known ? std::max(rules.run_noise, rule.least_spread) : rule.guessed_noise;
    const double prior_scale = rule.scale_of_spread * estimate.run_noise;
    const Prior prior{
        prior_scale * prior_scale, known ? rule.known_freedom : rule.guess_freedom, rules.run_skew};
    measure_gaps(samples, estimate);

    Fit fit = fit_sides(samples, prior, 0);
    const double before = fit.a;
    estimate.seen_noise = std::sqrt(fit.scale) / rule.scale_of_spread;
    const double pairs = 1.0 / estimate.runs_a + 1.0 / estimate.runs_b;
    if (estimate.blocks >= rule.least_blocks && fit.free_scale > prior.variance) {
        // Noisier than this series used to be: does the noise sit between the blocks?
        const double spent = estimate.blocks - 1;
        const Fit levelled = fit_sides(level_blocks(samples), prior, spent);
        if (levelled.free_scale < rule.levelled_blocks * fit.free_scale) {
            fit = levelled;
            samples = level_blocks(samples);
        }
    }
    count_pairs(samples, std::log1p(rules.threshold) / 2, estimate);
    estimate.change = fit.b - fit.a;
    estimate.variance = variance_factor(rules.run_skew) * fit.scale * pairs;
    estimate.freedom = fit.freedom;
    estimate.level_a = before;
    estimate.before = std::exp(sign * before);
    estimate.after = std::exp(sign * (before + estimate.change));
    return estimate;
}

}  // namespace vigil::detect
