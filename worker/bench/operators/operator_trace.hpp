#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "worker/bench/models/named_memory.hpp"
#include "worker/bench/operators/work.hpp"

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
    Work work;   ///< of all calls, with the operators that they call
};

/// One call of an operator.
struct OperatorEvent {
    std::size_t use = 0;  ///< place in OperatorTrace::uses
    double start_ns = 0;  ///< from the first iteration's start, without what recording took
    double end_ns = 0;
    double self_ns = 0;
    std::int64_t bytes = 0;             ///< as in OperatorUse
    double flops = 0;                   ///< with the operators that it calls
    bool is_backward = false;           ///< within a step of the backward pass
    std::optional<std::size_t> caller;  ///< the event of the operator that called it
    /// Whose derivative the step of the backward pass computes: an earlier event.
    std::optional<std::size_t> forward;
    std::optional<std::size_t> owner;  ///< place in OperatorTrace::owners of a value that it reads
};

struct OperatorTrace {
    std::vector<OperatorUse> uses;        ///< in the order of their first calls
    std::vector<OperatorEvent> events;    ///< the first max_events, in the order of their starts
    std::vector<std::size_t> iterations;  ///< place in events at which each begins
    std::vector<std::string> owners;      ///< names of the model's values
    std::int64_t dropped = 0;             ///< events that were too many
    double wall_ns = 0;           ///< of these iterations, without the time that recording took
    std::int64_t registered = 0;  ///< operators that this LibTorch has below aten::
    Work work;                    ///< of all iterations
    double unknown_ns = 0;        ///< of operators whose operations are not known
};

/// What the times of a trace are.
enum class TraceClock {
    wall,
    process  ///< processor time, which other programs do not lengthen; of one thread
};

inline constexpr std::size_t max_events = 1'000'000;

/// Calls `iterate` so often under LibTorch's recording hooks. One at a time in a process.
/// @param iterations  >= 1
/// @param values      of the model, whose readers are noted
OperatorTrace trace_operators(
    int iterations,
    const std::function<void()>& iterate,
    const std::vector<NamedMemory>& values = {},
    TraceClock clock = TraceClock::wall);

}  // namespace vigil_bench
