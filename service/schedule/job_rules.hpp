#pragma once

#include <vector>

#include "schema/model/job.hpp"
#include "schema/model/states.hpp"

// The rules of the queue, without a ledger.

namespace vigil::service {

/// A build that a waiting job needs, as one worker sees it.
struct NeededBuild {
    bool has_input = false;    ///< its source or archive is in the content store
    bool has_product = false;  ///< built by this worker's toolchain already
    bool being_built = false;  ///< another leased job of that toolchain is making it
};

/// A worker can begin a job when every build has its input and none is being made by another: then
/// it would build what it can soon have for nothing.
bool can_begin(const std::vector<NeededBuild>& builds);

/// What becomes of a job whose attempt was lost.
/// @param lost          lost attempts, this one counted
/// @param workers_lost  different workers among them
/// @param class_size    workers of the machine class that are there, and those that lost it
JobState after_loss(int lost, int workers_lost, int class_size, int max_lost_attempts);

/// Whether a failure is held against the worker, and its job waits again as if never claimed; else
/// it is a lost attempt. A job before which other workers failed too is what they have in common:
/// it must not take one worker after the other from the fleet.
/// @param others  different other workers that failed before anything of this job ran
constexpr bool blames_worker(Fault fault, int others) {
    return fault == Fault::worker && others == 0;
}

constexpr bool is_over(JobState state) {
    return state != JobState::queued && state != JobState::leased;
}

}  // namespace vigil::service
