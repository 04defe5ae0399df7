#include "service/schedule/job_rules.hpp"

#include <algorithm>

namespace vigil::service {

bool can_begin(const std::vector<NeededBuild>& builds) {
    return std::all_of(builds.begin(), builds.end(), [](const NeededBuild& build) {
        return build.has_input && (build.has_product || !build.being_built);
    });
}

JobState after_loss(int lost, int workers_lost, int class_size, int max_lost_attempts) {
    if (lost < max_lost_attempts) return JobState::queued;
    // Where a second worker exists, the job has to fail there too before it is called the job's
    // fault; but not for ever.
    const bool one_machine_only = workers_lost < 2 && class_size >= 2;
    return one_machine_only && lost < 2 * max_lost_attempts ? JobState::queued : JobState::parked;
}

}  // namespace vigil::service
