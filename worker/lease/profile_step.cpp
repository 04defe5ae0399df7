#include "worker/lease/profile_step.hpp"

#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "schema/profile/profile_json.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/numbers.hpp"
#include "schema/wire/job_json.hpp"
#include "worker/lease/outcome_now.hpp"
#include "worker/run/profile/profiled_run.hpp"

namespace vigil::worker {

namespace {

std::string what_helps_after(const ProfiledRun& run, Outcome outcome) {
    return outcome == Outcome::failed ? what_helps(run) : "";
}

}  // namespace

RunOutcome profile_step(
    Runner& runner, const RunRequest& request, const BenchmarkPlan& plan, int step) {
    const auto run = run_for_profile(runner, request, plan.profiler);
    auto outcome = outcome_now(step);
    if (run.report.started_at_ns > 0) outcome.started_at_ns = run.report.started_at_ns;
    outcome.duration_ns = run.report.wall_time_ns;
    const auto reported = outcome_of(run.report, plan);
    outcome.outcome = reported.outcome;
    outcome.message = text::one_line(reported.message + what_helps_after(run, reported.outcome));
    if (reported.outcome == Outcome::timeout) {
        outcome.message = "it did not end within " + text::duration(plan.limits.wall_time_s);
    } else if (reported.outcome == Outcome::passed) {
        try {
            const auto own = runner.sandboxed() ? request.folder_path : request.folder.string();
            outcome.profile =
                profile::profile_text(read_profile(run, own, build_path), wire::max_profile_bytes);
        } catch (const Error& error) {
            outcome.outcome = Outcome::failed;
            outcome.message = text::one_line(error.what());
        }
    }
    log_info(
        "run.profiled",
        {{"step", step},
         {"benchmark", plan.benchmark},
         {"outcome", to_string(outcome.outcome)},
         {"why", outcome.message}});
    return outcome;
}

}  // namespace vigil::worker
