#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Numbers, sizes and times as a person reads them. What is not finite is "?". Pure functions.

namespace vigil::text {

/// `value` with `decimals` digits after the point, halves away from zero. The digits are those of
/// the shortest decimal number that means this double, so that 2.675 gives "2.68". Never "-0.0".
/// @param decimals  0 to 9
std::string rounded(double value, int decimals);

/// A ratio in percent with a sign: 0.183 -> "+18.3 %", 0.0725 -> "+7.3 %"; "0.0 %" has none. What
/// is infinitely worse comes "from 0".
std::string percent(double ratio);

/// A change with its interval, in percent: "+6.6 % [5.1, 8.2]". Without the interval where it has
/// no width or no end.
std::string percent_within(double ratio, double low, double high);

/// A change as a person reads it: in percent, or "0 -> 2 allocs/op" where it comes from 0.
/// @param ratio  how much worse `after` is than `before`, which are in `unit`
std::string change(double ratio, double before, double after, std::string_view unit);

/// A ratio in percent without "+", for what is no change: 0.993 -> "99.3 %".
std::string share(double ratio, int decimals = 1);

/// A level in a unit that a person reads, about four digits: 12345678 ns -> "12.35 ms", bytes ->
/// "1.500 GiB". Any other unit stays as it is: "42.00 images/s".
/// @param unit  a stranger's text for all but "ns" and "bytes"
std::string quantity(double value, std::string_view unit);

/// "1 run", "12 runs".
std::string counted(std::int64_t count, std::string_view singular, std::string_view plural = "");

/// The two largest units: "12 s", "4 min 05 s", "3 h 12 min", "2 d 3 h". Negative: "0 s".
std::string duration(std::int64_t seconds);

/// The same, below ten seconds with a decimal: "0.4 s".
std::string short_duration(double seconds);

/// "3 min ago", "in 2 h", "now".
std::string ago(std::int64_t then_s, std::int64_t now_s);

/// "2026-11-21 04:05", in UTC.
std::string utc(std::int64_t seconds);

/// Seconds of the start of a day, in UTC.
/// @throws Error{invalid_argument} unless "YYYY-MM-DD" is a real day
std::int64_t parse_day(const std::string& day);

}  // namespace vigil::text
