#pragma once

#include <cstdint>
#include <string>

#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/work/attempts.hpp"
#include "service/store/work/jobs.hpp"

// How the attempt of a leased job ends without a result, and a job that nobody can do.

namespace vigil::service {

/// Ends the newest attempt; the job waits again, or is parked.
/// @param end  its outcome is lost or failed
void lose_attempt(
    Database& db,
    const JobConfig& rules,
    const JobRow& job,
    const AttemptEnd& end,
    std::int64_t now_s);

/// Ends the newest attempt as if the job had never been claimed: nothing of it ran.
/// @param end  its outcome is released
void give_back(Database& db, const JobRow& job, const AttemptEnd& end, std::int64_t now_s);

/// Ends a job whose rows cannot be read, so that the others are claimed, lost and cancelled.
void end_unreadable(Database& db, const JobRow& job, const std::string& why, std::int64_t now_s);

}  // namespace vigil::service
