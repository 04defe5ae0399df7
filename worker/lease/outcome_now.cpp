#include "worker/lease/outcome_now.hpp"

#include <chrono>

namespace vigil::worker {

RunOutcome outcome_now(int step, Outcome ended, const std::string& message) {
    RunOutcome outcome;
    outcome.step = step;
    outcome.outcome = ended;
    outcome.message = message;
    outcome.started_at_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                std::chrono::system_clock::now().time_since_epoch())
                                .count();
    return outcome;
}

}  // namespace vigil::worker
