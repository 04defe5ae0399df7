#pragma once

#include <cstdint>

#include "schema/model/job.hpp"
#include "service/store/work/jobs.hpp"
#include "service/store/work/runs.hpp"

namespace vigil::service {

/// A run whose row is written.
struct TakenRun {
    Database& db;
    const JobRow& job;
    const BenchmarkPlan& plan;
    const RunOutcome& outcome;
    RunId run;
    std::int64_t now_s;
};

/// Tells once of a run whose program leaks, whose instructions could not be counted, or that did
/// not print the case that it was asked for: that case runs whole from then on.
void tell_of_run(const TakenRun& run);

}  // namespace vigil::service
