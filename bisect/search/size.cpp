#include "bisect/search/size.hpp"

#include <cmath>

#include "bisect/search/rules.hpp"
#include "bisect/stats/distribution.hpp"

namespace vigil::search {

namespace {

double square(double x) {
    return x * x;
}

}  // namespace

Size size_of_change(
    const Posterior& posterior, int gap, const FittedLevels& levels, double moments, double least) {
    const int before = posterior.places()[static_cast<std::size_t>(gap)];
    const int after = posterior.places()[static_cast<std::size_t>(gap) + 1];
    const double own = levels.of(after)->above - levels.of(before)->above;
    const double by_own = 1 / (square(levels.error(before, after)) + moments);
    // The posterior holds these two builds too: what is left of it is what the others say.
    const double by_others = 1 / square(posterior.effect_error(gap)) - by_own;
    Size size{own, 0};
    double weight = by_own;
    if (by_others > 0) {
        const double others =
            posterior.effect(gap) + (posterior.effect(gap) - own) * by_own / by_others;
        const double near = 2 * (square(least / 2) + square(posterior.jitter()));
        const double counts = 1 / (1 / by_others + near);
        weight += counts;
        size.change += (others - own) * counts / weight;
    }
    size.error = 1 / std::sqrt(weight);
    return size;
}

namespace {

/// Where a level is that of the stand-in of 0, no ratio tells the change.
void tell_zero(Comparison& c, double zero, Direction direction) {
    c.before = without_stand_in(c.before, zero);
    c.after = without_stand_in(c.after, zero);
    if (c.before > 0 && c.after > 0) return;
    c.change_ratio = change_ratio(c.before, c.after, direction);
    if (std::isfinite(c.change_ratio)) return;
    c.low = c.high = c.change_ratio;
}

}  // namespace

Comparison compare(
    const PairTest& test, const Size& size, Direction direction, double tau, double zero) {
    const double sign = direction == Direction::lower_is_better ? 1 : -1;
    // Half of a 90 % interval.
    const double margin = stats::student_t_quantile(0.95, test.freedom) * size.error;
    Comparison c;
    c.before = std::exp(sign * test.before);
    c.after = std::exp(sign * (test.before + size.change));
    c.change_ratio = std::expm1(size.change);
    c.low = std::expm1(size.change - margin);
    c.high = std::expm1(size.change + margin);
    c.above = stats::student_t_cdf((size.change - tau) / size.error, test.freedom);
    c.runs_before = test.runs_before;
    c.runs_after = test.runs_after;
    c.finding = size.change - margin > 0   ? Finding::worse
                : size.change + margin < 0 ? Finding::better
                                           : Finding::unknown;
    if (zero > 0) tell_zero(c, zero, direction);
    return c;
}

}  // namespace vigil::search
