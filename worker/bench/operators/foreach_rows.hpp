#pragma once

#include <functional>
#include <vector>

#include "worker/bench/operators/hints.hpp"

namespace vigil_bench {

/// Looks in one call of `iterate` for loops that change many small tensors in place, one call each,
/// outside of the backward pass: gradients set to zero, a step of an optimizer. Measures each of
/// the longest in both ways, on tensors of the same shapes: call by call, and as one foreach
/// operator. On the CPU, for about a fifth of a second a loop.
/// @param threads  that operators use
std::vector<Hint> measure_rows(const std::function<void()>& iterate, int threads);

}  // namespace vigil_bench
