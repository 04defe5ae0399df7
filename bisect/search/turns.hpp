#pragma once

#include <set>
#include <vector>

#include "bisect/search/assess.hpp"

namespace vigil::search {

/// [series] where each one stands. A change that one series showed on two machines need not be
/// repeated by those that are alike: of one group and one kind.
std::vector<Assessment> assess_all(
    const Problem& problem, const Facts& facts, const Line& line, const Availability& availability);

/// Series of one kind (time, memory) that moved in one night most likely share their culprit: one
/// of them leads the search, the others wait, and are checked first at what the lead has found.
/// Turns Need::search into Need::verify of a found pair, or into Need::wait. Where several that are
/// alike would be repeated on another machine, all but one of them wait, too.
/// @param passed  series whose search has nothing left to ask; they lead no more
void take_turns(
    const Problem& problem,
    const Facts& facts,
    const Line& line,
    const std::set<int>& passed,
    std::vector<Assessment>& series);

}  // namespace vigil::search
