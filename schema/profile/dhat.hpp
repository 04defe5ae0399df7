#pragma once

#include <string>
#include <vector>

#include "schema/profile/profile.hpp"

namespace vigil::profile {

/// What valgrind's dhat wrote of a run: one text for each process, whose peaks are added up. Bytes
/// count for the innermost function of the program: malloc, new, containers and libraries in
/// between count for the function that asked.
/// @param texts  a stranger's; what is no file of dhat's is skipped
/// @param own, source  as read_callgrind has them: functions whose file or object is below one of
///                     them are the program's. Where none is, all that the system does not bring is
/// @throws text::BudgetError when a text would take too much; Error{invalid_argument} when none
///         has a byte
/// @source valgrind's manual, "DHAT: a dynamic heap analysis tool"; dhat/dh_main.c (version 2)
Profile read_dhat(
    const std::vector<std::string>& texts, const std::string& own, const std::string& source = {});

}  // namespace vigil::profile
