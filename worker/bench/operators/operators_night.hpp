#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

// Thousands of operators, each a benchmark of its own, in one process. Knows nothing of LibTorch.

namespace vigil_bench {

/// What came of one operator.
struct MeasuredCall {
    std::string name;
    std::vector<double> cpu_time_ns;   ///< by sample, of one call
    std::vector<double> wall_time_ns;  ///< likewise
    std::string failure;               ///< why it has no samples; empty: it has
};

/// Where a night begins, so that nights that are too short for all measure all in turn.
/// @param count   operators   @param night  number of the day   @param each  measured a night, >= 1
std::size_t first_of_night(std::size_t count, std::int64_t night, std::size_t each);

/// As Google Benchmark writes its results: {"context", "benchmarks": [...]}, one entry a sample,
/// which Vigil reads as many cases of one program. Operators without samples have "error_occurred".
nlohmann::json google_benchmarks(const std::vector<MeasuredCall>& calls, nlohmann::json context);

}  // namespace vigil_bench
