#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/model/job.hpp"
#include "worker/run/run.hpp"

// From what a benchmark prints to samples.

namespace vigil::worker {

struct RunSamples {
    Outcome outcome = Outcome::passed;
    std::string message;  ///< why not passed, one line
    /// By case and metric, each once, its unit, all > 0, of a case >= 0; empty unless passed
    std::vector<Samples> samples;
    std::vector<RunFact> facts = {};  ///< what is said of the run beside them; each name once
    std::vector<CaseFailure> case_failures = {};
};

/// Reads all that was printed to standard output; only the format `vigil` says anything else than
/// passed.
/// Of a program with cases each is read for itself: one that cannot be read, or failed, keeps none
/// of the others out.
/// Metrics of memory that are zero everywhere (nothing was allocated) are left out, since a ratio
/// to nothing means nothing.
/// @throws Error{invalid_argument} for anything that is not the format: garbage, no number, NaN,
///         zero or negative values, more than 100,000 samples, an unknown unit, a `select` that
///         names none or an output that has several
/// @param cases  of the program; nullptr: it is one benchmark
RunSamples read_printed(
    const SampleRule& rule, std::string_view output, const CasePlan* cases = nullptr);

enum class Company {
    none,  ///< it ran alone
    some   ///< others of its group ran beside it: its own wall time is left out
};

/// Whether the kernel is to count all instructions of a run's processes: vigil-bench, which goes on
/// until its time is up, counts those of one iteration itself.
bool is_counted(const BenchmarkPlan& plan);

/// One run of a benchmark: its exit, then what it printed, then the process's own wall time, CPU
/// time, peak memory and instructions, where it did not print these itself. Where callgrind counts,
/// its count alone.
RunSamples samples_of(
    const RunReport& report, const BenchmarkPlan& plan, Company company = Company::none);

/// The same by a guarded call (worker/run/guarded.hpp), with the facts of the report: a run whose
/// output takes too much to read has failed.
RunSamples guarded_samples_of(
    const RunReport& report, const BenchmarkPlan& plan, Company company = Company::none);

}  // namespace vigil::worker
