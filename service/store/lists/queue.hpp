#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/states.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Jobs that have not ended and are alike.
struct QueueGroup {
    JobState state = JobState::queued;
    Purpose purpose = Purpose::nightly;
    std::string project;
    ProjectId project_id;
    MachineClassId class_id;
    std::string machine_class;
    std::string message;  ///< of parked ones: why
    std::int64_t jobs = 0;
    int priority = 0;  ///< the highest of them
    std::int64_t oldest_at_s = 0;
};
/// Parked ones first, then those under lease, then those that wait; of these the largest first.
std::vector<QueueGroup> list_queue(Database& db, int limit);

}  // namespace vigil::service
