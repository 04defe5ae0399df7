#include "schema/text/times.hpp"

#include <chrono>
#include <cstddef>

namespace vigil::text {

namespace {

/// The digits at the front of `text`, taken off it.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
    if (text.size() < count) return std::nullopt;
    int value = 0;
    for (const char c : text.substr(0, count)) {
        if (c < '0' || c > '9') return std::nullopt;
        value = 10 * value + (c - '0');
    }
    text.remove_prefix(count);
    return value;
}

bool take_char(std::string_view& text, std::string_view choices) {
    if (text.empty() || choices.find(text.front()) == choices.npos) return false;
    text.remove_prefix(1);
    return true;
}

std::optional<std::int64_t> take_date(std::string_view& text) {
    const auto year = take_digits(text, 4);
    if (!year || !take_char(text, "-")) return std::nullopt;
    const auto month = take_digits(text, 2);
    if (!month || !take_char(text, "-")) return std::nullopt;
    const auto day = take_digits(text, 2);
    if (!day) return std::nullopt;
    const std::chrono::year_month_day date{
        std::chrono::year(*year),
        std::chrono::month(static_cast<unsigned>(*month)),
        std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return std::nullopt;
    return std::int64_t{86'400} * std::chrono::sys_days(date).time_since_epoch().count();
}

/// "04:05" or "04:05:06.7", in seconds.
std::optional<std::int64_t> take_clock(std::string_view& text) {
    const auto hour = take_digits(text, 2);
    if (!hour || *hour > 23 || !take_char(text, ":")) return std::nullopt;
    const auto minute = take_digits(text, 2);
    if (!minute || *minute > 59) return std::nullopt;
    int second = 0;
    if (take_char(text, ":")) {
        const auto read = take_digits(text, 2);
        if (!read || *read > 60) return std::nullopt;
        second = *read;
        if (take_char(text, ".")) {
            while (take_digits(text, 1)) continue;
        }
    }
    return 3600 * *hour + 60 * *minute + second;
}

/// "Z", "+02:00", or nothing, in seconds.
std::optional<std::int64_t> take_zone(std::string_view& text) {
    if (text.empty() || take_char(text, "Z")) return 0;
    const bool west = text.front() == '-';
    if (!take_char(text, "+-")) return std::nullopt;
    const auto away = take_clock(text);
    if (!away) return std::nullopt;
    return west ? -*away : *away;
}

}  // namespace

std::optional<std::int64_t> parse_time(std::string_view text) {
    const auto day = take_date(text);
    if (!day) return std::nullopt;
    if (text.empty()) return *day;
    if (!take_char(text, "T ")) return std::nullopt;
    const auto clock = take_clock(text);
    if (!clock) return std::nullopt;
    const auto zone = take_zone(text);
    if (!zone || !text.empty()) return std::nullopt;
    return *day + *clock - *zone;
}

}  // namespace vigil::text
