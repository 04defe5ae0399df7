#include "bisect/stats/change_share.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace vigil::stats {

namespace {

constexpr double half = 0.5;
constexpr double nearly_all = 0.9;
constexpr double next_to_nothing = 0.15;

double turned(double ratio) {
    return 1 / (1 + ratio) - 1;
}

struct Logs {
    double change;
    double below;  ///< distance to the lower end, >= 0
    double above;
};

Logs logs_of(const Comparison& measured) {
    const double change = std::log1p(measured.change_ratio);
    return {change, change - std::log1p(measured.low), std::log1p(measured.high) - change};
}

}  // namespace

Comparison turned(const Comparison& measured) {
    auto other = measured;
    std::swap(other.before, other.after);
    std::swap(other.runs_before, other.runs_after);
    other.change_ratio = turned(measured.change_ratio);
    other.low = turned(measured.high);
    other.high = turned(measured.low);
    other.above = 0;
    other.finding = measured.finding == Finding::better  ? Finding::worse
                    : measured.finding == Finding::worse ? Finding::better
                                                         : measured.finding;
    return other;
}

ChangeShare share_of(const Comparison& whole, const Comparison& part) {
    const auto all = logs_of(whole);
    const auto seen = logs_of(part);
    const double share = seen.change / all.change;
    // What the whole is off by counts as far as the part is of it.
    const double off = share * (all.below + all.above) / (2 * all.change);
    const double low = share - std::hypot(seen.below / all.change, off);
    const double high = share + std::hypot(seen.above / all.change, off);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (!std::isfinite(share) || std::isnan(low) || std::isnan(high)) {
        return {0, -infinity, infinity};
    }
    return {share, low, high};
}

SharePart part_of(const ChangeShare& share) {
    if ((share.low <= 0 && share.high < half) || share.high < next_to_nothing) {
        return SharePart::none;
    }
    if (share.low > half && share.high >= nearly_all) return SharePart::whole;
    if (share.low > 0 && share.high < nearly_all) return SharePart::some;
    return SharePart::unclear;
}

}  // namespace vigil::stats
