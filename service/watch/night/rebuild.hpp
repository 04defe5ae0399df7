#pragma once

#include <cstdint>

#include "service/config/config.hpp"
#include "service/store/nights/nightlies.hpp"

namespace vigil::service {

/// Plans the jobs of a nightly anew that ended without a run because its build failed, while it may
/// yet be built on their machine class or has been built since: a build that fails once costs the
/// night no value. Each plan at most so often as a build is tried, and once more.
/// @return  how many
int repeat_unbuilt_jobs(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s);

}  // namespace vigil::service
