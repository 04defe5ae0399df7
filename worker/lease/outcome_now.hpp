#pragma once

#include <string>

#include "schema/model/job.hpp"

namespace vigil::worker {

/// The outcome of a step that began at this moment, until more is known of it.
RunOutcome outcome_now(
    int step, Outcome outcome = Outcome::failed, const std::string& message = "");

}  // namespace vigil::worker
