#pragma once

#include <functional>
#include <string>
#include <vector>

#include "service/local/builds/workshop.hpp"
#include "service/local/builds/world.hpp"
#include "service/local/cases/cases.hpp"
#include "service/local/story.hpp"

namespace vigil::local {

struct MeasuredCases {
    ComparedCases compared;
    int runs = 0;  ///< of whole blocks
    int runs_failed = 0;
    double seconds = 0;  ///< of all runs
    bool stopped = false;
};

/// Measures all cases of two products in blocks, each run alone, until every case is decided or
/// `max_blocks` are spent.
/// @param order  the ends, and how values are read: reads_all
/// @param say    gets a line for each block
/// @throws Error{conflict} when the benchmark fails at an end, or no case has values of both
MeasuredCases measure_cases(
    Workshop& workshop,
    const World& world,
    const Order& order,
    int max_blocks,
    const std::function<void(const std::string&)>& say);

/// Measures all cases at the ends of a search, and says which one is searched.
/// @param all  as a run has shown it
/// @return  the entries of the log: the case, and how it is read; none when stopped. The workshop
///          reads so from now on.
/// @throws Error{conflict} as measure_cases does
std::vector<LogEntry> choose_case_of(
    const Story& story,
    const ReadAs& all,
    Workshop& workshop,
    const World& world,
    int max_blocks,
    const std::function<void(const std::string&)>& say);

}  // namespace vigil::local
