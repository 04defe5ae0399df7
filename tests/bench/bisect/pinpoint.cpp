#include "tests/bench/bisect/pinpoint.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "bisect/stats/distribution.hpp"
#include "bisect/stats/summary.hpp"

namespace vigil::bench {

namespace {

constexpr std::size_t runs_at_once = 10;
constexpr std::size_t most_runs = 60;
constexpr double surely_different = 0.01;
constexpr double may_be_equal = 0.2;

/// Ranks alone would name every difference of layout: medians must differ by half the threshold.
bool differ(std::span<const double> a, std::span<const double> b) {
    const double change = std::log(stats::median(b) / stats::median(a));
    return rank_test(a, b) < surely_different && std::abs(change) >= std::log1p(threshold) / 2;
}

class Recursive {
  public:
    Recursive(const World& world, Lab& lab, int series)
        : world_(world), lab_(lab), series_(series) {}

    Answer play() {
        if (!look_at(0) || !look_at(world_.suspects)) return {};
        while (refine()) {
        }
        Answer answer{Answer::Kind::cleared, {}, {}};
        for (auto b = std::next(seen_.begin()); b != seen_.end(); ++b) {
            const auto a = std::prev(b);
            if (!differ(a->second, b->second)) continue;
            answer.kind = Answer::Kind::named;
            answer.named.push_back({a->first + 1, b->first});
        }
        return answer;
    }

  private:
    bool look_at(int commit) {
        const auto values = lab_.measure(commit, series_, runs_at_once);
        if (values.empty()) {
            failed_.insert(commit);
            return false;
        }
        auto& all = seen_[commit];
        all.insert(all.end(), values.begin(), values.end());
        return true;
    }

    /// Looks at one more commit, or at two again; false when every neighbour is told apart.
    bool refine() {
        for (auto b = std::next(seen_.begin()); b != seen_.end(); ++b) {
            const auto a = std::prev(b);
            const double p = rank_test(a->second, b->second);
            if (differ(a->second, b->second)) {
                if (look_between(a->first, b->first)) return true;
            } else if (p >= surely_different && p < may_be_equal) {
                const std::size_t fewer = std::min(a->second.size(), b->second.size());
                if (fewer >= most_runs) continue;
                const int commit = a->second.size() <= b->second.size() ? a->first : b->first;
                if (look_at(commit)) return true;
            }
        }
        return false;
    }

    /// The usable commit nearest to the middle, if there is one.
    bool look_between(int low, int high) {
        for (;;) {
            int best = -1;
            for (int c = low + 1; c < high; ++c) {
                if (failed_.contains(c)) continue;
                if (best < 0 || std::abs(2 * c - low - high) < std::abs(2 * best - low - high)) {
                    best = c;
                }
            }
            if (best < 0) return false;
            if (look_at(best)) return true;
        }
    }

    const World& world_;
    Lab& lab_;
    int series_;
    std::map<int, std::vector<double>> seen_;
    std::set<int> failed_;
};

}  // namespace

double rank_test(std::span<const double> a, std::span<const double> b) {
    std::vector<std::pair<double, bool>> all;
    for (const double v : a) all.emplace_back(v, true);
    for (const double v : b) all.emplace_back(v, false);
    std::sort(all.begin(), all.end());
    const auto n = static_cast<double>(all.size());
    double ranks = 0;
    double ties = 0;
    for (std::size_t i = 0; i < all.size();) {
        std::size_t end = i;
        while (end < all.size() && all[end].first == all[i].first) ++end;
        const auto same = static_cast<double>(end - i);
        ties += same * same * same - same;
        for (std::size_t j = i; j < end; ++j) {
            if (all[j].second) ranks += static_cast<double>(i) + (same + 1) / 2;
        }
        i = end;
    }
    const auto na = static_cast<double>(a.size());
    const auto nb = static_cast<double>(b.size());
    const double u = ranks - na * (na + 1) / 2;
    const double variance = na * nb / 12 * (n + 1 - ties / (n * (n - 1)));
    if (variance <= 0) return 1;
    const double away = std::max(std::abs(u - na * nb / 2) - 0.5, 0.0) / std::sqrt(variance);
    return 2 * stats::normal_cdf(-away);
}

Answer play_recursive(const World& world, Lab& lab, int series) {
    return Recursive(world, lab, series).play();
}

}  // namespace vigil::bench
