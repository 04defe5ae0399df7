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

/// The same by the memory that operators ask for, in CostUnit::operator_bytes.
Profile by_bytes(Profile operators);

}  // namespace vigil::profile
