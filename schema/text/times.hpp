#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// Times as people and programs write them. Pure functions.

namespace vigil::text {

/// Seconds since 1970 of "2026-11-21", "2026-11-21T04:05", "2026-11-21 04:05:06.7+02:00"; without
/// a zone in UTC. Parts of a second are cut off. Nothing: it is none of these, or no real day.
std::optional<std::int64_t> parse_time(std::string_view text);

}  // namespace vigil::text
