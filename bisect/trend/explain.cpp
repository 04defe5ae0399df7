#include <algorithm>
#include <cmath>

#include "bisect/stats/summary.hpp"
#include "bisect/trend/level_watch.hpp"

namespace vigil::trend {

Explanation LevelWatch::explain(double value) const {
    LevelWatch tonight = *this;
    tonight.take(value);
    Explanation explanation;
    explanation.level_nights = level_nights();
    explanation.attempts = tonight.attempts();
    explanation.finding = tonight.judge();
    return explanation;
}

std::vector<Attempt> LevelWatch::attempts() const {
    std::vector<Attempt> all;
    const auto& kept = state_.kept;
    const auto newest = static_cast<std::size_t>(rules_.newest);
    if (level_nights() <= newest) return all;
    const std::size_t most =
        std::min({newest, level_nights() - newest, kept.size() - kept.refuted});
    for (std::size_t count = 1; count <= most; ++count) {
        const std::size_t end = kept.size() - count;
        const auto nights = static_cast<int>(end - kept.begin);
        const std::span level(kept.level);
        const std::span tip = level.subspan(end);
        const double middle = stats::median(level.first(end).subspan(kept.begin));
        const Background before = background_before(kept, end, middle, nights, rules_);
        Attempt attempt;
        attempt.nights = count;
        attempt.step = stats::median(tip) - middle;
        attempt.before = state_.scale.value_of(middle);
        attempt.stands_on = end - kept.begin;
        attempt.spread = before.spread;
        attempt.suspicion = shape_score(before, tip, rules_);
        if (count >= 2 && nights >= rules_.least_level()) {
            attempt.contest = contest(before, tip, attempt.step > 0 ? 1 : -1, rules_);
        }
        all.push_back(std::move(attempt));
    }
    return all;
}

}  // namespace vigil::trend
