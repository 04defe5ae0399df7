#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/machines/canary_checks.hpp"

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

/// Each worker that measured for a nightly, of a class with a canary, measures its reference build
/// before the night is judged. One that alone is off its own chart twice is held until
/// somebody releases it, and what it measured that night is not judged; where the class moved as
/// one nobody is (docs/confirmation.md, "Canaries").
/// @return  whether some canary is still measured
bool check_canaries(Database& db, const Config& config, NightlyId nightly, std::int64_t now_s);

}  // namespace vigil::service
