#pragma once

#include <cstdint>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/nights/nightlies.hpp"

namespace vigil::service {

/// Makes one regression of the night's confirmed suspicions that share their two builds, and one
/// bisection for it where the project's commits can be built. Says why where they cannot.
/// @return  how many regressions were opened
int open_regressions(
    Database& db,
    const ProjectConfig& config,
    const JobConfig& jobs,
    const NightlyRow& nightly,
    std::int64_t now_s);

}  // namespace vigil::service
