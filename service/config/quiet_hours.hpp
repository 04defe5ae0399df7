#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "service/config/config.hpp"

// Pure functions.

namespace vigil::service {

/// When the quiet hours that a time lies in end, UTC; nullopt: it lies in none. Where the clocks
/// change, they begin and end as the clocks show, see cron.hpp.
/// @throws Error{invalid_argument}  a time of day or the zone is wrong
std::optional<std::int64_t> quiet_until(const QuietHours& quiet, std::int64_t now_s);

/// "07:30"; empty, or what is wrong with it.
std::string clock_time_problem(std::string_view text);

}  // namespace vigil::service
