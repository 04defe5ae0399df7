#include "bisect/trend/partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bisect/stats/summary.hpp"

namespace vigil::trend {

namespace {

constexpr std::size_t exact_up_to = 5000;  // values: of longer series old starts are thinned out
constexpr std::size_t all_starts = 96;     // values back in which every start is kept
constexpr std::size_t age_share = 8;       // older starts: the best one in an eighth of its age
constexpr std::size_t thin_every = 32;     // values

/// A start of the last segment that can still be the best.
struct Start {
    std::size_t at = 0;
    double cost = 0;  ///< of all before it
    /// Of all up to the last value, or less.
    double now = -std::numeric_limits<double>::infinity();
    std::size_t beaten = 0;  ///< by a later start, since then; 0: not yet
    /// ln(variance x values) of its segment when it was last computed. That never falls: more
    /// values have no smaller sum of squares. So it bounds the cost from below without a logarithm.
    double spread = -std::numeric_limits<double>::infinity();
};

constexpr double rounding = 1e-9;  // of a bound, in the cost's unit

/// Of the old starts, keeps the cheapest of each stretch.
void thin(std::vector<Start>& starts, std::size_t at) {
    std::size_t kept = 0;
    std::size_t stretch_end = 0;
    for (const Start& s : starts) {
        const std::size_t age = at - s.at;
        if (age > all_starts && kept > 0 && s.at < stretch_end) {
            if (s.now < starts[kept - 1].now) starts[kept - 1] = s;
            continue;
        }
        if (age > all_starts) stretch_end = s.at + std::max<std::size_t>(1, age / age_share);
        starts[kept++] = s;
    }
    starts.resize(kept);
}

}  // namespace

Partition::Partition(std::span<const double> values, Shape shape, double least_deviation)
    : shape_(shape),
      least_variance_(least_deviation * least_deviation),
      centre_(stats::median(values)),
      flat_(values.size() + 1) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double y = values[i] - centre_;
        flat_[i + 1] = {flat_[i].y + y, flat_[i].yy + y * y};
    }
    if (shape_ == Shape::flat) return;
    xy_.resize(values.size() + 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
        xy_[i + 1] =
            xy_[i] + static_cast<long double>(i) * static_cast<long double>(values[i] - centre_);
    }
}

double Partition::mean(std::size_t from, std::size_t to) const {
    return centre_ + (flat_[to].y - flat_[from].y) / static_cast<double>(to - from);
}

double Partition::squares(std::size_t from, std::size_t to) const {
    const double y = flat_[to].y - flat_[from].y;
    return std::max(0.0, flat_[to].yy - flat_[from].yy - y * y / static_cast<double>(to - from));
}

double Partition::line_squares(std::size_t from, std::size_t to) const {
    const auto n = static_cast<double>(to - from);
    const long double middle = static_cast<long double>(from + to - 1) / 2;
    const double y = flat_[to].y - flat_[from].y;
    const auto xy = static_cast<double>(xy_[to] - xy_[from] - middle * static_cast<long double>(y));
    const double xx = n * (n * n - 1) / 12;  // sum of the squares of n places about their middle
    return std::max(0.0, squares(from, to) - xy * xy / xx);
}

double Partition::variance(std::size_t from, std::size_t to) const {
    const auto n = static_cast<double>(to - from);
    if (shape_ == Shape::line) return line_squares(from, to) / n + least_variance_;
    const double share = 1 / n;
    const double y = (flat_[to].y - flat_[from].y) * share;
    const double yy = (flat_[to].yy - flat_[from].yy) * share;
    return std::max(0.0, yy - y * y) + least_variance_;
}

std::vector<std::size_t> Partition::best(double penalty) const {
    const std::size_t n = size();
    std::vector<std::size_t> last(n + 1, 0);  // start of the last segment of the best cut of i
    std::vector<double> total(n + 1, std::numeric_limits<double>::infinity());
    total[0] = -penalty;
    std::vector<double> half(n + 1, 0);  // of a length
    std::vector<double> logarithm(n + 1, 0);
    for (std::size_t i = 1; i <= n; ++i) {
        half[i] = static_cast<double>(i) / 2;
        logarithm[i] = std::log(static_cast<double>(i));
    }
    std::vector<Start> starts;
    for (std::size_t end = shortest; end <= n; ++end) {
        const std::size_t fresh = end - shortest;
        if (std::isfinite(total[fresh])) starts.push_back({fresh, total[fresh]});
        double least = std::numeric_limits<double>::infinity();
        bool is_any_over = false;
        for (Start& s : starts) {
            // What costs more than a cut can never be better later, once that is long enough.
            if (s.beaten == 0 && s.now > total[end - 1]) s.beaten = end - 1;
            if (s.beaten != 0 && end > s.beaten + shortest) {
                is_any_over = true;
                continue;
            }
            const std::size_t length = end - s.at;
            s.now = s.cost + half[length] * (s.spread - logarithm[length]) - rounding;
            if (s.now >= least && n <= exact_up_to) continue;  // thin() compares whole costs
            const double level = std::log(variance(s.at, end));
            s.spread = level + logarithm[length];
            s.now = s.cost + half[length] * level;
            if (s.now >= least) continue;
            least = s.now;
            last[end] = s.at;
        }
        total[end] = least + penalty;
        if (is_any_over) {
            std::erase_if(
                starts, [&](const Start& s) { return s.beaten != 0 && end > s.beaten + shortest; });
        }
        if (n > exact_up_to && end % thin_every == 0) thin(starts, end);
    }
    std::vector<std::size_t> cut;
    for (std::size_t at = last[n]; at > 0; at = last[at]) cut.push_back(at);
    std::reverse(cut.begin(), cut.end());
    return cut;
}

}  // namespace vigil::trend
