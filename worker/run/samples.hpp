#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/model/job.hpp"
#include "worker/run/run.hpp"

// From what a benchmark prints to samples.

namespace vigil::worker {

/// What a benchmark printed about itself.
struct PrintedResult {
    Outcome outcome = Outcome::passed;  ///< only the format `vigil` says anything else
    std::string message;
    std::vector<Samples> samples;  ///< by metric, each once, metric's unit, every value > 0
};

/// Reads all that was printed to standard output.
/// Metrics of memory that are zero everywhere (nothing was allocated) are left out, since a ratio
/// to nothing means nothing.
/// @throws Error{invalid_argument} for anything that is not the format: garbage, no number, NaN,
///         zero or negative values, more than 100,000 samples, an unknown unit, a `select` that
///         names none or an output that has several
PrintedResult read_printed(const SampleRule& rule, std::string_view output);

/// One run of a benchmark: its exit, then what it printed, then the process's own wall time, CPU
/// time and peak memory, where it did not print these itself.
struct RunSamples {
    Outcome outcome = Outcome::failed;
    std::string message;           ///< why not passed, one line
    std::vector<Samples> samples;  ///< empty unless passed
};
enum class Company {
    none,  ///< it ran alone
    some   ///< others of its group ran beside it: its own wall time is left out
};
RunSamples samples_of(
    const RunReport& report, const BenchmarkPlan& plan, Company company = Company::none);

}  // namespace vigil::worker
