#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/canary.hpp"
#include "service/store/database.hpp"

// What follows when canaries moved: of one worker, or of a whole machine class.

namespace vigil::service {

/// A check whose second look was off its chart to the same side as the first.
struct MovedCanary {
    CanaryCheckId check;
    WorkerId worker;
    std::string worker_name;
    bool up = false;
    std::string why;  ///< one line: how far off its chart
};

/// A row of canary_check, `k`, that moved with its whole class: no state of its own, but `learning`
/// rows that learn have nothing to be off from.
inline constexpr const char* moved_with_class =
    "k.state = 'learning' AND k.moved_ratio IS NOT NULL";

/// Ends these checks, which are all that moved in one night of one machine class, whose other
/// checks have ended. Where another worker of the class was measured and stood still, each that
/// moved is held, and what it measured that night is not judged. Else the class moved as one:
/// nobody is held, A/B tells machine from source; when the night before said the same, the class's
/// times begin new levels at that night, except those in question, and the charts begin anew
/// (docs/decisions/0021).
void end_moved(
    Database& db,
    NightlyId nightly,
    const std::string& machine_class,
    const std::vector<MovedCanary>& moved,
    std::int64_t now_s);

}  // namespace vigil::service
