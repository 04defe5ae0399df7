#pragma once

#include <string_view>

#include "schema/harness/report.hpp"
#include "schema/model/recipe.hpp"
#include "worker/run/samples.hpp"

// What a program of many cases printed, a series for each quantity of each case.

namespace vigil::worker {

/// Times of a case are its `wall_time_ns` and `cpu_time_ns`; whatever else it prints keeps its own
/// name and unit. A case that failed is a failure of that case. A run of one case alone that did
/// not print it is `unsupported`, with the fact `case_not_printed`.
/// @throws Error{invalid_argument} for what is not the format, and where no case fits
RunSamples read_cases(const SampleRule& rule, const CasePlan& cases, std::string_view output);

}  // namespace vigil::worker
