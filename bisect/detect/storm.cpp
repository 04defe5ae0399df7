#include "bisect/detect/storm.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "bisect/detect/rules.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"

namespace vigil::detect {

bool looks_like_storm(std::span<const double> moves, int suspicious) {
    const double share = rule.storm_share * static_cast<double>(moves.size());
    if (suspicious >= rule.storm_suspicious && suspicious >= share) return true;
    if (moves.size() < rule.storm_middle) return false;
    return std::abs(stats::median(moves)) > rule.storm_move;
}

StormJudgement judge_storm(std::span<const Remeasured> series) {
    if (series.empty()) {
        throw Error(Errc::invalid_argument, "judging a storm: no series was measured again");
    }
    std::vector<double> shares;
    std::vector<double> old_moves;
    int alike = 0;
    for (const Remeasured& one : series) {
        if (one.night == 0 || !std::isfinite(one.night) || !std::isfinite(one.old_again)) {
            throw Error(Errc::invalid_argument, "judging a storm: a series did not move");
        }
        const double share = one.old_again / one.night;
        shares.push_back(share);
        old_moves.push_back(one.old_again);
        alike += share > rule.machine_share ? 1 : 0;
    }
    StormJudgement judgement;
    judgement.moved = stats::median(old_moves);
    const double share = stats::median(shares);
    const double moved_too = static_cast<double>(alike) / static_cast<double>(series.size());
    if (share >= rule.machine_share && moved_too >= rule.machine_series) {
        judgement.cause = StormCause::environment;
    } else if (share <= rule.code_share && moved_too <= rule.code_series) {
        judgement.cause = StormCause::code;
    }
    judgement.reason = fmt::format(
        "the old builds of {} of {} series moved too, by {:+.2f} % in the median, {:.0f} % of the "
        "night's move",
        alike,
        series.size(),
        100 * std::expm1(judgement.moved),
        100 * share);
    return judgement;
}

}  // namespace vigil::detect
