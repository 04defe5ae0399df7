#pragma once

#include <cstdint>

#include "service/config/config.hpp"

// One comment on the pull request that brought a verified culprit, kept up to date.

namespace vigil::service {

/// Asks for the pull requests that brought the verified culprits of what is open, of each target
/// that wants such comments now and has the report. Writes the comments of pull requests of which
/// regressions changed, as notices, once an issue can be named. All in the caller's transaction;
/// nothing is sent here. @return  how many comments
int culprit_step(Database& db, const Config& config, std::int64_t now_s);

}  // namespace vigil::service
