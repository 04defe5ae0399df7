#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "service/store/machines/canary_checks.hpp"

// What follows when canaries moved: of one worker, or of a whole machine class.

namespace vigil::service {

/// A check whose second look was off its chart to the same side as the first.
struct MovedCanary {
    OpenCheck check;
    bool up = false;
    std::string why;  ///< one line: how far off its chart
};

/// Whether a machine class moved as one: all to one side, and nobody stood still.
/// @param moved         of one night and one class, not empty
/// @param others_stood  some worker of the class was measured and did not move
bool moved_as_one(const std::vector<MovedCanary>& moved, bool others_stood);

/// Ends these checks, which are all that moved in one night of one machine class, whose other
/// checks have ended. Where another worker of the class was measured and stood still, each that
/// moved is held, and what it measured that night is not judged. Else the class moved as one:
/// nobody is held, A/B tells machine from source; when the night before said the same, the class's
/// times begin new levels at that night, except those in question, and the charts begin anew
/// (docs/decisions/0021).
void end_moved(Database& db, const std::vector<MovedCanary>& moved, std::int64_t now_s);

}  // namespace vigil::service
