#pragma once

#include <functional>

// What a model that was measured with one size of its batch does when it meets another.

namespace vigil_bench {

class Device;

struct SecondBatch {
    double step_ns = 0;     ///< wall time of an iteration, once it knows the size
    double compile_ns = 0;  ///< what the first iterations took more: compiling again; at least 0
};

/// @param iterate  one iteration with the other size, the first of which is the first ever
SecondBatch measure_second_batch(const std::function<void()>& iterate, Device& device);

}  // namespace vigil_bench
