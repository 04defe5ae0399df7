#pragma once

#include <string>
#include <string_view>

#include "schema/profile/profile.hpp"

namespace vigil::profile {

/// What stands between the columns of perf's reports: in no name of a function.
inline constexpr char perf_separator = '\x1f';

/// What `perf report` printed of a run, in two ways: a stranger's texts, for perf read what the run
/// wrote.
struct PerfTexts {
    /// -v --no-children -g folded,0,caller,function,count -F sample,dso,srcfile,sym; or without
    /// srcfile
    std::string stacks;
    /// -v --children -g none -F sample,dso,sym: where each function lies, also those that only call
    std::string objects;
};

/// Samples of a run by function. Those of libraries count for the innermost function of the program
/// that led to them, as far as stacks tell. Stacks are kept where most of them reach the start of a
/// program or a thread: others were cut, for the program has no frame pointers.
/// @param own, source  as read_callgrind has them
/// @throws text::BudgetError when a text would take too much; Error{invalid_argument} when no
///         sample was taken
/// @source perf-report(1)
Profile read_perf(const PerfTexts& texts, const std::string& own, const std::string& source = {});

}  // namespace vigil::profile
