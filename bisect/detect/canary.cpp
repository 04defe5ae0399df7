#include "bisect/detect/canary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "bisect/detect/rules.hpp"
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
    if (logs.size() < static_cast<std::size_t>(rule.canary_nights)) {
        judgement.reason = fmt::format(
            "night {} of the {} that its chart begins with", logs.size() + 1, rule.canary_nights);
        return judgement;
    }
    const std::span all(logs);
    const double base = stats::median(all.first(std::min(all.size(), rule.baseline_nights)));
    // Few nights know their spread badly: then the bounds are wider.
    const double unsure = 1 + rule.canary_unsure / static_cast<double>(all.size());
    const double spread = stats::spread(all.last(std::min(all.size(), rule.noise_nights)));
    judgement.knows = true;
    judgement.base = std::exp(base);
    judgement.moved = level - base;
    judgement.bound = std::max(rule.canary_spreads * unsure * spread, rule.canary_bound);
    judgement.off = std::abs(judgement.moved) > judgement.bound;
    judgement.reason = fmt::format(
        "{:+.2f} % off its chart of {} nights, which allows {:.2f} %",
        100 * std::expm1(judgement.moved),
        logs.size(),
        100 * std::expm1(judgement.bound));
    return judgement;
}

}  // namespace vigil::detect
