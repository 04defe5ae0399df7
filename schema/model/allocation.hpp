#pragma once

#include "schema/model/enum_names.hpp"
#include "schema/model/ids.hpp"

namespace vigil {

using AllocationId = Id<struct AllocationTag>;

/// How far a machine of a cluster is that the cluster's scheduler was asked for.
enum class AllocationState {
    planned,  ///< its row is written; whether the scheduler has it is not known
    pending,  ///< the scheduler has it, and it has no machine
    running,  ///< on a machine, and its worker has its token
    leaving,  ///< it was cancelled, or its machine is being cleared
    ended,
};

/// How an allocation ended.
enum class AllocationEnd {
    finished,        ///< its worker had nothing to do any more
    cancelled,       ///< by this daemon: it was not needed
    taken_back,      ///< cancelled by somebody else
    preempted,       ///< for a job of more worth
    machine_failed,  ///< its machine failed
    timed_out,       ///< its time limit
    out_of_memory,   ///< killed for memory
    failed,          ///< its worker ended with an error
    refused,         ///< the scheduler did not take it
    impossible,      ///< it waited for what never comes
    lost,            ///< the scheduler knows nothing of it
};

constexpr bool is_open(AllocationState state) {
    return state != AllocationState::ended;
}

/// Whether the machine was wanted elsewhere: no job at hand had to do with it.
constexpr bool is_taken_away(AllocationEnd end) {
    using enum AllocationEnd;
    return end == cancelled || end == taken_back || end == preempted;
}

/// Whether asking again at once would end the same way.
constexpr bool ends_again(AllocationEnd end) {
    using enum AllocationEnd;
    return end == failed || end == refused || end == impossible || end == out_of_memory;
}

}  // namespace vigil
