#include "bisect/detect/canary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "bisect/detect/rules.hpp"
#include "bisect/stats/distribution.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"

namespace vigil::detect {

namespace {

std::vector<double> logs_of(std::span<const double> values) {
    std::vector<double> logs;
    for (const double value : values) {
        if (!(std::isfinite(value) && value > 0)) {
            throw Error(
                Errc::invalid_argument,
                fmt::format("judging a canary: its chart holds {}, values are above 0", value));
        }
        logs.push_back(std::log(value));
    }
    return logs;
}

}  // namespace

CanaryJudgement judge_canary(std::span<const double> chart, double tonight) {
    CanaryJudgement judgement;
    const auto logs = logs_of(chart);
    const double level = logs_of({&tonight, 1}).front();
    if (logs.size() < rule.few) {
        judgement.reason =
            fmt::format("night {} of the {} that its chart begins with", logs.size() + 1, rule.few);
        return judgement;
    }
    const std::span all(logs);
    const double base = stats::median(all.first(std::min(all.size(), rule.baseline_nights)));
    const auto recent = all.last(std::min(all.size(), rule.noise_nights));
    const auto nights = static_cast<double>(recent.size());
    // Student's interval of one more night: few nights know level and spread badly.
    const double spreads = stats::student_t_quantile((1 + rule.sure) / 2, nights - 1) *
                           std::sqrt(1 + stats::median_variance / nights);
    judgement.knows = true;
    judgement.base = std::exp(base);
    judgement.moved = level - base;
    judgement.bound = std::max(spreads * stats::spread(recent), rule.machine_move);
    judgement.off = std::abs(judgement.moved) > judgement.bound;
    judgement.reason = fmt::format(
        "{:+.2f} % off its chart of {} nights, which allows {:.2f} %",
        100 * std::expm1(judgement.moved),
        logs.size(),
        100 * std::expm1(judgement.bound));
    return judgement;
}

}  // namespace vigil::detect
