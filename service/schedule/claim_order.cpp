#include "service/schedule/claim_order.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

namespace vigil::service {

namespace {

int highest(const ProjectTurn& turn) {
    return turn.jobs.front().priority;
}

/// A job and the project in whose turn it comes.
struct Placed {
    const ProjectTurn* turn = nullptr;
    const WaitingJob* job = nullptr;
};

bool is_before(const Placed& a, const Placed& b) {
    const auto key = [](const Placed& one) {
        return std::tuple(
            -one.job->priority, one.turn->leased, one.turn->total_s(), one.job->job.id.value);
    };
    return key(a) < key(b);
}

}  // namespace

WorkLevel level_of(int priority) {
    if (priority > static_cast<int>(Priority::nightly)) return WorkLevel::urgent;
    return priority == static_cast<int>(Priority::nightly) ? WorkLevel::nightly : WorkLevel::later;
}

WorkLevel level_of(MachineWork work) {
    switch (work) {
        case MachineWork::confirm:
        case MachineWork::probe:
        case MachineWork::verify:
        case MachineWork::canary: return WorkLevel::urgent;
        case MachineWork::nightly: return WorkLevel::nightly;
        case MachineWork::request: break;
    }
    return WorkLevel::later;
}

bool is_owed(const ProjectTurn& behind, const ProjectTurn& first, int leased) {
    const auto level = level_of(highest(first));
    if (level_of(highest(behind)) <= level) return false;
    if (highest(behind) <= static_cast<int>(Priority::backfill)) return false;
    const auto* begin = first.spent_s.data();
    const auto ahead_s =
        std::accumulate(begin, begin + static_cast<int>(level) + 1, std::int64_t{});
    return behind.leased * parts <= leased &&
           ahead_s > head_start_s + (parts - 1) * behind.total_s();
}

std::vector<JobRow> claim_order(const std::vector<ProjectTurn>& turns, int leased) {
    std::vector<Placed> placed;
    for (const auto& turn : turns) {
        for (const auto& job : turn.jobs) placed.push_back({&turn, &job});
    }
    if (placed.empty()) return {};
    std::sort(placed.begin(), placed.end(), is_before);
    std::set<const ProjectTurn*> owed;
    for (const auto& turn : turns) {
        if (turn.jobs.empty()) continue;
        if (is_owed(turn, *placed.front().turn, leased)) owed.insert(&turn);
    }
    std::stable_partition(placed.begin(), placed.end(), [&](const Placed& one) {
        return owed.contains(one.turn) && one.job->priority > static_cast<int>(Priority::backfill);
    });
    std::vector<JobRow> ordered;
    for (const auto& one : placed) ordered.push_back(one.job->job);
    return ordered;
}

}  // namespace vigil::service
