#pragma once

#include <cstdint>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// What a night's judgement counted.
struct NightCounts {
    int series = 0;      ///< judged series measured tonight
    int suspicions = 0;  ///< opened, worse or better
    int first = 0;       ///< without an earlier night to compare with
};

/// Compares every judged series of a nightly, all of whose jobs have ended, with its baselines, and
/// opens suspicions. Measures nothing and proves nothing.
NightCounts judge_nightly(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s);

}  // namespace vigil::service
