#include <algorithm>
#include <set>

#include "schema/model/error.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::wire {

void check_result(
    const JobResult& result,
    const JobPlan& plan,
    std::span<const BuildId> builds,
    std::span<const BuildId> unbuildable) {
    std::set<BuildId> failed(unbuildable.begin(), unbuildable.end());
    for (const auto& build : result.builds) {
        if (std::find(builds.begin(), builds.end(), build.id) == builds.end()) {
            refuse("result.builds", "speaks of build " + to_string(build.id) + ", not of this job");
        }
        if (!build.built) failed.insert(build.id);
    }
    std::set<int> made;
    for (const auto& run : result.runs) {
        if (run.step < 0 || run.step >= static_cast<int>(plan.steps.size())) {
            refuse("result.runs", "has step " + std::to_string(run.step) + ", not of this job");
        }
        made.insert(run.step);
    }
    if (!result.failure.empty()) return;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const auto position = static_cast<std::size_t>(plan.steps[i].build);
        VIGIL_ASSERT(position < builds.size());
        if (made.contains(static_cast<int>(i)) || failed.contains(builds[position])) continue;
        refuse("result.runs", "lacks step " + std::to_string(i) + ", whose build did not fail");
    }
}

}  // namespace vigil::wire
