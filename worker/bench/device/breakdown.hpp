#pragma once

#include <string>
#include <vector>

// What a GPU did with the time of some iterations. Knows nothing of LibTorch.

namespace vigil_bench {

/// A piece of work of the GPU, by its own clock.
struct Span {
    double start_ns = 0;
    double end_ns = 0;
};

struct GpuTrace {
    std::vector<Span> computing;  ///< kernels, and what stays on the GPU: fills, copies on it
    std::vector<Span> moving;     ///< copies between the GPU and the CPU, or another GPU
    double traced_wall_ns = 0;    ///< of these iterations, by the CPU's clock
    double wall_ns = 0;           ///< of as many that nobody traces: a profiler may double it
};

/// Shares of the wall time; they add up to 1.
struct GpuShares {
    double active = 0;         ///< at least one kernel runs
    double data_movement = 0;  ///< data move, and no kernel runs
    double idle = 0;           ///< neither
};

/// Whether the GPU's work of this name moves data between the GPU and elsewhere.
bool is_data_movement(const std::string& name);

/// Spans may overlap, touch, and come in any order; one that ends before it starts does not count.
/// Where work takes longer than the wall time, as two clocks may have it, it is all of the time.
/// @param trace  wall_ns > 0
/// @source  TorchBench 2023, Figures 1 and 2
GpuShares break_down(const GpuTrace& trace);

}  // namespace vigil_bench
