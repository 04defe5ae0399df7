#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/profile/profile.hpp"

namespace vigil::profile {

/// What valgrind's callgrind wrote of a run: one text for each process, added up.
/// Costs of libraries count for the function of the program that called them; where a library
/// calls the program back, for itself.
/// @param texts  a stranger's; what is no line of the format is skipped
/// @param own    the folder of the product as the run saw it: objects below it are the program's.
///               Where no object is (an interpreted program), every object counts as own
/// @param source  the folder in which it was built: files below it are told relative to it; empty:
///                in the product's
/// @throws text::BudgetError when a text would take too much; Error{invalid_argument} when none
///         has a cost
/// @source valgrind's manual, "Callgrind Format Specification"
Profile read_callgrind(
    const std::vector<std::string>& texts, const std::string& own, const std::string& source = {});

/// The interpreter that one of these processes was; empty: none is known.
std::string find_interpreter(const std::vector<std::string>& texts);

}  // namespace vigil::profile
