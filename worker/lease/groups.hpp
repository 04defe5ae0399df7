#pragma once

#include <vector>

#include "schema/model/job.hpp"

namespace vigil::worker {

/// The steps of a plan in the order to run them, in groups: the steps of one group are alive
/// together and measure in turns. A group compares builds of one benchmark that interleaves, so it
/// holds at least two products; every other step is a group by itself.
/// @param product  by index of build: equal numbers are equal content, -1: cannot be run
std::vector<std::vector<int>> group_steps(const JobPlan& plan, const std::vector<int>& product);

}  // namespace vigil::worker
