#include "service/report/facts/news.hpp"

#include <algorithm>

#include "service/report/facts/regression_facts.hpp"

namespace vigil::service {

ToldFact told_of(const RegressionFacts& facts) {
    ToldFact told;
    told.state = facts.state;
    told.ended_as = facts.ended_as;
    told.culprit = facts.culprit;
    for (const auto& series : facts.series) {
        if (series.verdict == Verdict::broken) {
            told.broken = true;
            continue;
        }
        const double ratio = best_comparison(series).change_ratio;
        told.change_ratio = std::max(told.change_ratio.value_or(ratio), ratio);
    }
    return told;
}

News news_of(const std::optional<ToldFact>& before, const ToldFact& now) {
    using S = RegressionState;
    if (!before) return News::found;
    if (!before->state || !now.state) return News::nothing;
    const bool was_open = is_open(*before->state);
    if (was_open && now.ended_as == RegressionEnd::recovered) return News::recovered;
    if (!was_open && is_open(*now.state)) return News::reopened;
    if (now.state == S::accepted && before->state != S::accepted) return News::accepted;
    const bool named = now.culprit && now.culprit != before->culprit;
    return named && is_open(*now.state) ? News::culprit : News::nothing;
}

}  // namespace vigil::service
