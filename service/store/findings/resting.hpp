#pragma once

#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/regressions.hpp"

// Regressions by what was measured: those that rest on a job, and those whose series run again.

namespace vigil::service {

/// Regressions, whatever became of them, of a series that the job ran: the night is the bad one, or
/// the good one, or the one in which the series was back.
std::vector<RegressionId> list_regressions_on(Database& db, NightlyId nightly, JobId job);

/// Of earlier nights' open regressions: series that no longer ran, and of which in this nightly
/// some runs passed and none failed.
std::vector<OpenSeries> list_running_again(Database& db, NightlyId nightly);

}  // namespace vigil::service
