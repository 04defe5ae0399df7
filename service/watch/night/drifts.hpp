#pragma once

#include <cstdint>

#include "service/config/config.hpp"
#include "service/store/nights/nightlies.hpp"

namespace vigil::service {

/// Lists what is certain and not filed, once the night's suspicions have their verdicts: sessions
/// that ended with `drift`, and changes within a level's history that are not above the threshold.
/// One change is listed once, and again when the sum has grown by a percent.
/// @return  how many are new
int record_drifts(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s);

}  // namespace vigil::service
