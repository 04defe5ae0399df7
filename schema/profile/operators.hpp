#pragma once

#include <string_view>

#include "schema/profile/profile.hpp"

namespace vigil::profile {

/// What vigil-bench printed of LibTorch's operators: the last line of a run that was asked for
/// them. What an iteration takes outside of all operators is a function "(in no operator)".
/// @param output  a stranger's
/// @return  in CostUnit::operator_ns, of one iteration
/// @throws Error{invalid_argument} where it holds none, saying why; text::BudgetError
Profile read_operators(std::string_view output);

/// Turns both sides into their memory: what operators hold at the peak, in
/// CostUnit::operator_peak_bytes; where a vigil-bench is too old to say, what they ask for, in
/// CostUnit::operator_bytes.
void by_memory(Profile& before, Profile& after);

}  // namespace vigil::profile
