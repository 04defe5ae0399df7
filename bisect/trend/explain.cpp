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
    const auto fewest = static_cast<std::size_t>(rules_.least_suspicion);
    const auto longest = static_cast<std::size_t>(rules_.level_nights);
    if (level_nights() <= fewest) return all;
    const std::size_t most = std::min(
        {static_cast<std::size_t>(rules_.newest),
         level_nights() - fewest,
         kept.size() - kept.refuted});
    for (std::size_t count = 1; count <= most; ++count) {
        const std::size_t end = kept.size() - count;
        const std::size_t from = std::max(kept.begin, end - std::min(end, longest));
        const std::span level(kept.level);
        const std::span newest = level.subspan(end);
        const double middle = stats::median(level.subspan(from, end - from));
        const Background before =
            background_before(kept, end, middle, static_cast<int>(end - from), rules_);
        Attempt attempt;
        attempt.nights = count;
        attempt.step = stats::median(newest) - middle;
        attempt.before = state_.scale.value_of(middle);
        attempt.stands_on = end - from;
        attempt.spread = before.spread;
        if (counts_for_suspicion(count)) attempt.suspicion = shape_score(before, newest, rules_);
        if (count >= 2 && before.nights >= rules_.least_level) {
            attempt.duels = list_duels(before, newest, attempt.step > 0 ? 1 : -1, rules_);
        }
        all.push_back(std::move(attempt));
    }
    return all;
}

}  // namespace vigil::trend
