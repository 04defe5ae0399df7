#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/job.hpp"
#include "service/store/database.hpp"

// The table `profiled_step`: what callgrind counted, until it has been compared.

namespace vigil::service {

struct ProfiledStep {
    int step = 0;  ///< index into the plan's steps
    Outcome outcome = Outcome::failed;
    std::string message;  ///< why it did not pass; a stranger's text
    std::int64_t duration_ns = 0;
    std::string profile;  ///< as schema/profile writes it; empty: there is none
};

void add_profiled_step(Database& db, JobId job, const RunOutcome& run);

/// In the order of the steps; one whose build failed is missing.
std::vector<ProfiledStep> list_profiled_steps(Database& db, JobId job);

void remove_profiled_steps(Database& db, JobId job);

}  // namespace vigil::service
