#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "worker/bench/operators/work.hpp"

// What was reached of what the machine can, as two numbers. Pure.

namespace vigil_bench {

/// What this process was seen to reach, with its number of threads.
struct Peaks {
    double flops_per_s = 0;  ///< of a large matrix product in the model's type; 0: not measured
    double bytes_per_s = 0;  ///< of a large copy, read and written
    std::string type;        ///< "Float"
};

/// "compute" where more operations are done with a byte than the peaks have for each; else
/// "memory".
const char* bound_of(const Work& work, const Peaks& peaks);

/// {"flops", "product_flops", "moved_bytes", "flops_per_s", "bytes_per_s", "intensity", "peaks",
/// "of_peak_flops", "of_peak_bytes", "bound"}; of one iteration.
/// @param took_ns  of the same iteration, without anything that records it
nlohmann::json roofline_json(const Work& work, double took_ns, const Peaks& peaks);

/// The same in a line or two for people.
std::string roofline_text(const Work& work, double took_ns, const Peaks& peaks);

}  // namespace vigil_bench
