#include "bisect/detect/worth.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bisect/detect/rules.hpp"
#include "bisect/stats/distribution.hpp"
#include "schema/model/error.hpp"

namespace vigil::detect {

namespace {

constexpr double furthest = 5;  // standard deviations of that
constexpr int cells = 160;      // on either side of the threshold

/// Density and distribution of t with 4 degrees of freedom.
double t4_density(double t) {
    return 0.375 * std::pow(1 + t * t / 4, -2.5);
}

double t4_below(double t) {
    const double q = 1 + t * t / 4;
    return 0.5 + 0.375 * t / std::sqrt(q) * (1 - t * t / (12 * q));
}

/// Likelihood of `moved` under the changes between two places of the prior, each in standard
/// deviations of its logarithm. The noise is integrated over each cell exactly, so a quiet series
/// needs no finer cells.
double likelihood(double moved, double spread, double from, double to) {
    const double step = (to - from) / cells;
    double sum = 0;
    double low = rule.usual_change * std::exp(rule.change_spread * from);
    double prior_low = stats::normal_cdf(from);
    for (int i = 1; i <= cells; ++i) {
        const double place = from + step * i;
        const double high = rule.usual_change * std::exp(rule.change_spread * place);
        const double prior_high = stats::normal_cdf(place);
        const double noise = t4_below((moved - low) / spread) - t4_below((moved - high) / spread);
        sum += (prior_high - prior_low) * noise / (high - low);
        low = high;
        prior_low = prior_high;
    }
    return sum;
}

}  // namespace

double chance_above(double moved, double night_spread, double tau, int nights) {
    VIGIL_ASSERT(night_spread > 0 && tau > 0 && nights >= 1);
    const double spread = night_spread / std::sqrt(std::min(nights, rule.telling_nights));
    const double border =
        std::clamp(std::log(tau / rule.usual_change) / rule.change_spread, -furthest, furthest);
    const double above = rule.changed_prior * likelihood(moved, spread, border, furthest);
    const double below = rule.changed_prior * likelihood(moved, spread, -furthest, border);
    const double none = (1 - rule.changed_prior) * t4_density(moved / spread) / spread;
    const double all = above + below + none;
    return all > 0 ? std::clamp(above / all, 0.0, 1.0) : 0;
}

double worth_of(const Asking& asking) {
    return asking.chance * (1 + asking.waited) * (asking.better ? rule.better_worth : 1);
}

std::vector<std::size_t> rank(std::span<const Asking> asking) {
    std::vector<std::size_t> order(asking.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return worth_of(asking[a]) > worth_of(asking[b]);
    });
    return order;
}

int RunBudget::held() const {
    return std::min(rule.held_runs, limit_);
}

void RunBudget::count_open(int runs) {
    taken_ += std::max(runs, held());
}

bool RunBudget::begin() {
    if (taken_ + held() > limit_) return false;
    taken_ += held();
    return true;
}

int RunBudget::more(int runs, int block) const {
    return std::max(runs + block, held()) - std::max(runs, held());
}

}  // namespace vigil::detect
