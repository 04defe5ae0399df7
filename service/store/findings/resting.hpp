#pragma once

#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// Which regressions rest on what was measured.

namespace vigil::service {

/// Regressions, whatever became of them, of a series that the job ran: the night is the bad one, or
/// the good one, or the one in which the series was back.
std::vector<RegressionId> list_regressions_on(Database& db, NightlyId nightly, JobId job);

}  // namespace vigil::service
