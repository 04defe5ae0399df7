#pragma once

#include <cstdint>

#include "service/config/config.hpp"
#include "service/store/nights/backfills.hpp"

namespace vigil::service {

/// Looks at a series of which a backfill measured nights: the steps among them are listed as drifts
/// of kind `past`, and each begins a level, so that no later night asks about it. What the newest
/// night would ask about and cannot be told yet is one of kind `unsure`.
/// @param nights  of the backfill
/// @return  how many steps were listed
int find_past_steps(
    Database& db,
    const ProjectConfig& config,
    SeriesId series,
    const JoinedNights& nights,
    std::int64_t now_s);

}  // namespace vigil::service
