#pragma once

#include <string>
#include <string_view>

#include "worker/run/samples.hpp"

// The JSON formats behind read_printed, which checks the values they bring.

namespace vigil::worker {

/// Google Benchmark's JSON: every iteration entry of one benchmark is a sample of wall and of CPU
/// time; aggregates are passed over.
PrintedResult read_google_benchmark(const SampleRule& rule, std::string_view output);

/// hyperfine's export: one sample of wall time per run; CPU time is the mean it gives.
PrintedResult read_hyperfine(const SampleRule& rule, std::string_view output);

/// vigil-bench's JSON: samples by metric in the metric's unit, an outcome, and a message when it
/// did not pass; further keys are free.
PrintedResult read_vigil(std::string_view output);

/// How many ns, or bytes, one unit is.
double unit_factor(MetricKind kind, std::string_view name);

[[noreturn]] void refuse_output(const std::string& why);

}  // namespace vigil::worker
