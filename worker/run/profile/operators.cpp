#include "worker/run/profile/operators.hpp"

namespace vigil::worker {

ProfiledRun run_for_operators(Runner& runner, const RunRequest& request) {
    auto asking = request;
    asking.environment[profiler_variable] = to_string(Profiler::operators);
    ProfiledRun run;
    run.profiler = Profiler::operators;
    run.report = runner.run(asking);
    run.texts.push_back(run.report.output);
    if (run.report.truncated) run.why_none = "it printed more than its output limit";
    return run;
}

}  // namespace vigil::worker
