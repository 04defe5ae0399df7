#pragma once

#include <cstdint>
#include <initializer_list>
#include <set>
#include <vector>

#include "schema/model/job.hpp"
#include "schema/model/state_sets.hpp"
#include "service/store/work/claimers.hpp"
#include "service/store/work/jobs.hpp"

// The rules of the queue: decisions about rows.

namespace vigil::service {

/// A build that a waiting job needs, as one worker sees it.
struct NeededBuild {
    bool has_input = false;        ///< its source or archive is in the content store
    bool has_product = false;      ///< built by this worker's toolchain already
    bool being_built = false;      ///< another leased job of that toolchain is making it
    bool built_elsewhere = false;  ///< workers of another machine class build for this one
    bool unbuildable = false;      ///< it failed there as often as a build is tried
};

/// A worker can begin a job when every build has its input and none is being made by another: then
/// it would build what it can soon have for nothing. What workers of another class build is there,
/// or known not to build.
bool can_begin(const std::vector<NeededBuild>& builds);

/// The different workers of which an attempt ended in one of these ways.
std::set<WorkerId> workers_of(
    const std::vector<AttemptRow>& attempts, std::initializer_list<AttemptOutcome> outcomes);

/// How many workers of a machine class are there, or lost the job in question.
/// @param seen_after_s  who was heard of later than this is there, when it is active
int count_askable(
    const std::vector<ClassWorker>& workers,
    const std::set<WorkerId>& lost_by,
    std::int64_t seen_after_s);

/// Whether the worker that a job waits for is there. One with a lease is, whatever the time of day
/// says.
bool is_there(const ClassWorker& worker, std::int64_t seen_after_s);

/// What becomes of a job whose attempt was lost.
/// @param lost          lost attempts, this one counted
/// @param workers_lost  different workers among them
/// @param class_size    workers of the machine class that could be asked
JobState after_loss(int lost, int workers_lost, int class_size, int max_lost_attempts);

/// Whether a failure is held against the worker, and its job waits again as if never claimed; else
/// it is a lost attempt. A job before which other workers failed too is what they have in common:
/// it must not take one worker after the other from the fleet.
/// @param others  different other workers that failed before anything of this job ran
constexpr bool blames_worker(Fault fault, int others) {
    return fault == Fault::worker && others == 0;
}

}  // namespace vigil::service
