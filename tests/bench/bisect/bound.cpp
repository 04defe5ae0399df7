#include "tests/bench/bisect/bound.hpp"

#include <cmath>

#include <fmt/format.h>

#include "bisect/stats/distribution.hpp"
#include "tests/bench/bisect/tables.hpp"

namespace vigil::bench {

double capacity(double apart) {
    // I = 1 - E[log2(1 + exp(-d (d / 2 + x)))] for x of the standard normal, by Simpson's rule.
    constexpr int steps = 2000;
    constexpr double reach = 9;
    const auto lost = [&](double x) {
        const double away = -apart * (apart / 2 + x);
        const double log = away > 500 ? away : std::log1p(std::exp(away));
        return stats::normal_density(x, 0, 1) * log / std::log(2);
    };
    const double step = 2 * reach / steps;
    double sum = lost(-reach) + lost(reach);
    for (int i = 1; i < steps; ++i) sum += (i % 2 == 1 ? 4 : 2) * lost(-reach + i * step);
    return 1 - sum * step / 3;
}

double fewest_runs(int commits, double apart, double wrong) {
    const double doubt = -wrong * std::log2(wrong) - (1 - wrong) * std::log2(1 - wrong);
    const double where = ((1 - wrong) * std::log2(commits) - doubt) / capacity(apart);
    return where + 8 * std::log(1 / wrong) / (apart * apart);
}

void print_bound(const std::vector<Rule>& rules, std::uint64_t first, int days) {
    constexpr double wrong = 0.01;
    fmt::print("\n| Days | Right % | Runs | Bound | Runs / bound | Builds |\n");
    fmt::print("| --- | --- | --- | --- | --- | --- |\n");
    for (const double spread : {0.005, 0.02, 0.05}) {
        Results total;
        const auto family = plain_family(spread);
        const auto result = play_days(family, {rules.front()}, first, days, total).front();
        const double bound = fewest_runs(70, std::log1p(0.07) / spread, wrong);
        fmt::print(
            "| {} | {} | {:.1f} | {:.1f} | {:.2f} | {:.1f} |\n",
            family.name,
            with_interval(result.all.right(), days),
            result.all.runs(),
            bound,
            result.all.runs() / bound,
            result.all.builds());
    }
}

}  // namespace vigil::bench
