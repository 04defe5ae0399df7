#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Versions of nightlies, as different projects write them. Pure.

namespace vigil::service {

/// Older is less. Numbers compare as numbers (2.9 < 2.10), a pre-release mark (dev, a, alpha, b,
/// beta, pre, preview, rc, nightly, canary) is older than the release it leads to (2.10.dev1 <
/// 2.10 < 2.10.1), separators do not matter, what follows '+' only breaks ties.
std::strong_ordering compare_versions(std::string_view a, std::string_view b);

/// The day written in a version as eight digits (7.0.0-dev.20251112.1), or with dashes, as
/// YYYY-MM-DD.
std::optional<std::string> day_in_version(std::string_view version);

/// Whether the text is a day of the calendar, YYYY-MM-DD.
bool is_day(std::string_view text);

/// The day of a time, YYYY-MM-DD, UTC.
std::string day_of(std::int64_t utc_s);

/// The day so many days later. @param day  is_day
std::string days_after(const std::string& day, int days);

}  // namespace vigil::service
