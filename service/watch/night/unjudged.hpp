#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "service/config/config.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/series/values.hpp"

// A series that cannot be judged is set aside with a reason, and its night goes on.

namespace vigil::service {

inline constexpr std::string_view series_not_judged = "series.not_judged";

/// The night goes on without this series: a trouble, and an event "series.set_aside" of the night.
void set_aside_series(
    Database& db,
    const SeriesRow& series,
    const NightlyRow& nightly,
    const std::string& why,
    std::int64_t now_s);

/// Sets aside the judged series of a nightly that have runs and not one value that can be judged;
/// ends the trouble of those that are judged again.
/// @return  how many were set aside
int set_aside_unjudged(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s);

}  // namespace vigil::service
