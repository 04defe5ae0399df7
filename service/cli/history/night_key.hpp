#pragma once

#include <cstdint>
#include <string>

// What history files say of a night and of a value.

namespace vigil::cli {

/// A night that can be compared with others of its kind.
struct NightKey {
    enum class Kind { number, time };
    Kind kind = Kind::number;
    std::int64_t value = 0;  ///< the number, or seconds since 1970
};

/// "137", "2026-11-21", "2026-11-21T04:05", "2026-11-21 04:05:06+02:00"; without a zone in UTC.
/// @throws Error{invalid_argument} what it should be, without a place
NightKey parse_night(const std::string& text);

/// A number, or NaN for "", "nan", "na" and "null" in any case.
/// @throws Error{invalid_argument} without a place
double parse_value(const std::string& text);

}  // namespace vigil::cli
