#pragma once

#include <algorithm>
#include <array>

#include "schema/model/transitions.hpp"

namespace vigil {

/// What a person may do with a regression: acknowledge what was filed, end what is understood, and
/// take back an end. Each of them is an arrow of the state machine.
inline constexpr std::array moves_by_hand{
    Move<RegressionState>{RegressionState::reported, RegressionState::acknowledged},
    Move<RegressionState>{RegressionState::reported, RegressionState::accepted},
    Move<RegressionState>{RegressionState::reported, RegressionState::refuted},
    Move<RegressionState>{RegressionState::acknowledged, RegressionState::accepted},
    Move<RegressionState>{RegressionState::acknowledged, RegressionState::refuted},
    Move<RegressionState>{RegressionState::accepted, RegressionState::reported},
    Move<RegressionState>{RegressionState::refuted, RegressionState::reported},
    Move<RegressionState>{RegressionState::closed, RegressionState::reported}};

static_assert(std::all_of(moves_by_hand.begin(), moves_by_hand.end(), [](const auto& move) {
    return may_move(move.first, move.second);
}));

constexpr bool may_move_by_hand(RegressionState from, RegressionState to) {
    const Move<RegressionState> wanted{from, to};
    return std::find(moves_by_hand.begin(), moves_by_hand.end(), wanted) != moves_by_hand.end();
}

}  // namespace vigil
