#include "bisect/detect/storm.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"

namespace vigil::detect {

namespace {

constexpr int least_suspicious = 8;
constexpr double suspicious_share = 0.15;
constexpr std::size_t enough_for_middle = 20;
constexpr double middle_move = 0.02;

// Shares of the night's move that the old builds show.
constexpr double machine_share = 0.5;
constexpr double machine_series = 0.7;
constexpr double code_share = 0.25;
constexpr double code_series = 0.3;

}  // namespace

bool looks_like_storm(std::span<const double> moves, int suspicious) {
    const double share = suspicious_share * static_cast<double>(moves.size());
    if (suspicious >= least_suspicious && suspicious >= share) return true;
    if (moves.size() < enough_for_middle) return false;
    return std::abs(stats::median(moves)) > middle_move;
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
        alike += share > machine_share ? 1 : 0;
    }
    StormJudgement judgement;
    judgement.moved = stats::median(old_moves);
    const double share = stats::median(shares);
    const double moved_too = static_cast<double>(alike) / static_cast<double>(series.size());
    if (share >= machine_share && moved_too >= machine_series) {
        judgement.cause = StormCause::environment;
    } else if (share <= code_share && moved_too <= code_series) {
        judgement.cause = StormCause::code;
    }
    judgement.reason = fmt::format(
        "the old builds of {} of {} series moved too, in the middle by {:+.2f} %, {:.0f} % of the "
        "night's move",
        alike,
        series.size(),
        100 * std::expm1(judgement.moved),
        100 * share);
    return judgement;
}

}  // namespace vigil::detect
