#pragma once

#include <map>
#include <string>
#include <vector>

#include "schema/model/job.hpp"
#include "worker/run/launch.hpp"
#include "worker/run/run.hpp"

// How the benchmarks of a job are started here.

namespace vigil::worker {

/// @return  one for each benchmark of the plan
/// @throws  Error{unavailable} naming the first benchmark whose launch this machine cannot give,
///          and all that it lacks
std::vector<AppliedLaunch> apply_launches(const JobPlan& plan);

/// A fact for each launch that was applied: "launch" where all benchmarks have the same one, else
/// "launch mlp train".
void note_launches(
    const JobPlan& plan,
    const std::vector<AppliedLaunch>& launches,
    std::map<std::string, std::string>& facts);

/// A request has the variables of the machine class already: those of the launch go over them, and
/// the benchmark's over both. What both preload, the loader gets together.
void start_by(const AppliedLaunch& launch, const BenchmarkPlan& plan, RunRequest& request);

}  // namespace vigil::worker
