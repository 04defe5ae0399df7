#pragma once

#include <functional>
#include <vector>

#include "worker/bench/operators/hints.hpp"

namespace vigil_bench {

/// Looks for chains of element-wise operators in one call of `iterate`, and measures each of the
/// largest in both ways: as they are, through memory, and as one loop over pieces that stay in the
/// cache, in place. On the CPU, for about a second a chain.
/// @param threads  that operators use
std::vector<Hint> measure_chains(const std::function<void()>& iterate, int threads);

}  // namespace vigil_bench
