#pragma once

#include <cstdint>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Each worker that measured for a nightly, of a class with a canary, measures the class's frozen
/// build before the night is judged. One that alone is off its own chart twice is held until
/// somebody releases it, and what it measured that night is not judged; where the class moved as
/// one nobody is (docs/confirmation.md, "Canaries").
/// @return  whether some canary is still measured
bool check_canaries(Database& db, const Config& config, NightlyId nightly, std::int64_t now_s);

}  // namespace vigil::service
