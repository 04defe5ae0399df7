#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "schema/wire/object_reader.hpp"
#include "service/tables/result.hpp"

namespace vigil::tables {

inline constexpr wire::IntegerRange any_count{0, 1'000'000'000};
inline constexpr std::size_t max_details = 500;  ///< metrics, or facts, of one result

/// @throws Error{invalid_argument}
void read_json_results(std::string_view text, const std::string& file, ResultList& list);

/// The output of vigil-bench: one line a process. Processes of one model and way are one result,
/// its numbers the medians over them, its status the first that is none of a right answer. A line
/// that names no model is a result of its own, which nobody passes over.
void read_bench_lines(std::string_view text, const std::string& file, ResultList& list);

/// {"name": ..., "metrics": {"model=resnet18, test=eval, device=cpu, bs=None, extra_args=[],
/// metric=latencies": 12.5, "resnet18-eval_latency": 12.5,
/// "test_eval[dlrm-cuda-eager]_gmem": 3.5}}: times in ms, memory in GB of 2^30 bytes.
void read_torchbench(const nlohmann::json& root, const std::string& file, ResultList& list);

/// {"benchmarks": [{"name": "test_eval[resnet18-cpu-eager]", "stats": {"median": 0.0125}}]}: times
/// in seconds.
void read_torchbench_pytest(const nlohmann::json& root, const std::string& file, ResultList& list);

}  // namespace vigil::tables
