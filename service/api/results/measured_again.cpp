#include "service/api/results/measured_again.hpp"

#include <vector>

namespace vigil::service {

std::optional<LevelToday> measured_between(
    Database& db, SeriesId series, NightlyId earlier, NightlyId later) {
    std::vector<LaterAnswer> between;
    for (auto& answer : list_later_answers(db, series, earlier)) {
        const bool began_there = answer.since && *answer.since > earlier && *answer.since <= later;
        if (answer.nightly > later && !(began_there && is_change(answer.verdict))) continue;
        between.push_back(std::move(answer));
    }
    Comparison nothing;  // the level of the earlier night, against which all is told
    nothing.runs_before = nothing.runs_after = 1;
    return level_today(nothing, NightlyId{earlier.value + 1}, between);
}

Finding finding_of(double low, double high) {
    return low > 0 ? Finding::worse : high < 0 ? Finding::better : Finding::same;
}

}  // namespace vigil::service
