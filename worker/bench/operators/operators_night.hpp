#pragma once

#include <cstddef>
#include <cstdint>
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

/// What a night measures, in this order: numbers of operators, from 0. A night that is too short
/// for all has a part, and later nights have the others. Each round begins elsewhere in the parts,
/// so that nights that end before their part does leave none out for ever.
/// @param count   operators   @param night  number of the day   @param each  of a part, >= 1
std::vector<std::size_t> operators_of_night(
    std::size_t count, std::int64_t night, std::size_t each);

/// As Google Benchmark writes its results: {"context", "benchmarks": [...]}, one entry a sample,
/// which Vigil reads as many cases of one program. Operators without samples have "error_occurred".
nlohmann::json google_benchmarks(const std::vector<MeasuredCall>& calls, nlohmann::json context);

}  // namespace vigil_bench
