#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// What the queue's functions need of a job's row.
struct JobRow {
    JobId id;
    ProjectId project;
    MachineClassId machine_class;
    JobState state = JobState::queued;
    int attempt = 0;
    int lost_attempts = 0;
    std::optional<WorkerId> worker;
};

/// @throws Error{not_found}
JobRow load_job_row(Database& db, JobId job);

/// Ends the newest attempt without a result; the job waits again, or is parked.
/// @param outcome  of the attempt: "lost", "failed"
void lose_attempt(
    Database& db,
    const JobConfig& rules,
    const JobRow& job,
    std::string_view outcome,
    const std::string& why,
    std::int64_t now_s);

/// Ends the newest attempt as if the job had never been claimed: nothing of it ran.
void give_back(Database& db, const JobRow& job, const std::string& why, std::int64_t now_s);

}  // namespace vigil::service
