#pragma once

#include <string_view>

#include "service/local/order.hpp"
#include "worker/run/run.hpp"

namespace vigil::local {

/// The median of what a benchmark printed: the block of lines of one number each that its output
/// ends with; or the JSON that its output ends with, from Google Benchmark (wall time), hyperfine,
/// vigil-bench, a number, or an array of numbers.
/// @throws Error{invalid_argument} for anything else: nothing, text, NaN, zero, negative values
double printed_value(std::string_view output);

/// What a run that exited with 0 says of the measure, metric's unit, > 0.
/// @throws Error{invalid_argument}
double value_of(const worker::RunReport& report, Measure measure);

}  // namespace vigil::local
