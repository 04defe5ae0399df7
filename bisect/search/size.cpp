#include "bisect/search/size.hpp"

#include <cmath>

#include "bisect/search/rules.hpp"

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
    const double layout = square(posterior.jitter());
    Size size{own, 0};
    double weight = by_own;
    if (by_others > 0) {
        const double others =
            posterior.effect(gap) + (posterior.effect(gap) - own) * by_own / by_others;
        const double near = 2 * (square(rule.small_steps * least) + layout);
        const double counts = 1 / (1 / by_others + near);
        weight += counts;
        size.change += (others - own) * counts / weight;
    }
    size.error = std::sqrt(1 / weight + rule.layout_told * layout);
    return size;
}

}  // namespace vigil::search
