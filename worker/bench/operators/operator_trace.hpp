#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Which operators of LibTorch some iterations call, and what each takes on the CPU. Free of
// LibTorch's headers.

namespace vigil_bench {

/// One operator. Operators that it calls are counted by themselves.
struct OperatorUse {
    std::string name;           ///< "aten::convolution"
    std::int64_t forward = 0;   ///< calls outside of a backward pass: a step's own are among them
    std::int64_t backward = 0;  ///< calls within one
    double self_ns = 0;         ///< without the operators that it calls
    double total_ns = 0;        ///< with them; of one that calls itself, more than once
    std::int64_t bytes = 0;     ///< of the CPU's memory that it asks for itself
    std::vector<std::string>
        shapes;  ///< of the tensors it reads, "1x3x224x224 64x3x7x7"; at most 8
};

struct OperatorEvent {
    std::size_t use = 0;  ///< place in OperatorTrace::uses
    double start_ns = 0;  ///< from the first iteration's start
    double end_ns = 0;
};

struct OperatorTrace {
    std::vector<OperatorUse> uses;      ///< in the order of their first calls
    std::vector<OperatorEvent> events;  ///< the first max_events, in the order of their ends
    double wall_ns = 0;                 ///< of these iterations, which tracing makes longer
    std::int64_t registered = 0;        ///< operators that this LibTorch has below aten::
};

inline constexpr std::size_t max_events = 200'000;

/// Calls `iterate` so often under LibTorch's recording hooks. One at a time in a process.
/// @param iterations  >= 1
OperatorTrace trace_operators(int iterations, const std::function<void()>& iterate);

}  // namespace vigil_bench
