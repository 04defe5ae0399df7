#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/profile/profile.hpp"

namespace vigil::why {

/// Before and after; either may be missing.
struct FunctionPair {
    const profile::Function* before = nullptr;
    const profile::Function* after = nullptr;
    std::vector<std::string> inlined = {};
    std::int64_t more_before = 0;  ///< of those that are inlined
    std::int64_t more_after = 0;
    bool is_joined = false;    ///< its cost counts for another pair
    bool is_replaced = false;  ///< before and after are two operators

    const profile::Function& any() const { return after != nullptr ? *after : *before; }
    std::int64_t cost_before() const {
        return profile::sum(before != nullptr ? before->cost : 0, more_before);
    }
    std::int64_t cost_after() const {
        return profile::sum(after != nullptr ? after->cost : 0, more_after);
    }
    std::int64_t change() const { return cost_after() - cost_before(); }
};

/// Of operators: one that only before calls, and one that only after calls, for the same shapes,
/// become one pair: one is called in place of the other. The largest first.
void find_replaced(std::vector<FunctionPair>& pairs);

/// The one of a list that is more than half of what a pair grew by; empty: none is.
std::string grown_part(
    const FunctionPair& pair, std::vector<profile::NamedCost> profile::Function::*list);

/// The line that is more than half of what a pair grew by, as it stands after; empty: none is.
/// Lines move when others come before them, so that those with the same costs count as the same.
std::string grown_line(const FunctionPair& pair);

/// How times scatter: the change of one of them, as a part of it, that scatter alone makes. Most
/// operators do as before, so that they tell. 0 where too few are there.
double scatter_of(const std::vector<FunctionPair>& pairs);

}  // namespace vigil::why
