#include "service/schedule/job_rules.hpp"

#include <algorithm>

namespace vigil::service {

bool can_begin(const std::vector<NeededBuild>& builds) {
    return std::all_of(builds.begin(), builds.end(), [](const NeededBuild& build) {
        if (!build.has_input) return false;
        if (build.has_product) return true;
        return build.built_elsewhere ? build.unbuildable : !build.being_built;
    });
}

std::set<WorkerId> workers_of(
    const std::vector<AttemptRow>& attempts, std::initializer_list<AttemptOutcome> outcomes) {
    std::set<WorkerId> workers;
    for (const auto& attempt : attempts) {
        const auto ended = std::find(outcomes.begin(), outcomes.end(), attempt.outcome);
        if (ended != outcomes.end()) workers.insert(attempt.worker);
    }
    return workers;
}

int count_askable(
    const std::vector<ClassWorker>& workers,
    const std::set<WorkerId>& lost_by,
    std::int64_t seen_after_s) {
    return static_cast<int>(std::count_if(workers.begin(), workers.end(), [&](const auto& worker) {
        const bool there = worker.is_active() && worker.last_seen_at_s > seen_after_s;
        return there || lost_by.contains(worker.id);
    }));
}

bool is_there(const ClassWorker& worker, std::int64_t seen_after_s) {
    return worker.has_lease || (worker.is_active() && worker.last_seen_at_s > seen_after_s);
}

JobState after_loss(int lost, int workers_lost, int class_size, int max_lost_attempts) {
    if (lost < max_lost_attempts) return JobState::queued;
    // Where a second worker exists, the job has to fail there too before it is called the job's
    // fault; but not for ever.
    const bool one_machine_only = workers_lost < 2 && class_size >= 2;
    return one_machine_only && lost < 2 * max_lost_attempts ? JobState::queued : JobState::parked;
}

}  // namespace vigil::service
