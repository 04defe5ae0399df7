#include "schema/text/numbers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <span>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/escape.hpp"

namespace vigil::text {

namespace {

/// Adds one to the last digit of a number of digits and at most one point.
void count_up(std::string& digits) {
    for (std::size_t i = digits.size(); i-- > 0;) {
        if (digits[i] == '.') continue;
        if (digits[i] != '9') {
            ++digits[i];
            return;
        }
        digits[i] = '0';
    }
    digits.insert(0, 1, '1');
}

/// value * 10^shift with `decimals` digits, exact in the decimal digits of the value.
std::string shifted(double value, std::size_t shift, int decimals) {
    VIGIL_ASSERT(decimals >= 0 && decimals <= 9);
    if (!std::isfinite(value)) return "?";
    std::array<char, 400> room{};  // the largest double has 309 digits
    const auto end = std::to_chars(
        room.data(), room.data() + room.size(), std::fabs(value), std::chars_format::fixed);
    std::string digits(room.data(), end.ptr);
    auto point = std::min(digits.find('.'), digits.size());
    if (point < digits.size()) digits.erase(point, 1);
    point += shift;
    const std::size_t wanted = point + static_cast<std::size_t>(decimals);
    if (digits.size() <= wanted) digits.append(wanted - digits.size(), '0');
    const bool up = digits.size() > wanted && digits[wanted] >= '5';
    digits.resize(wanted);
    const auto before = digits.size();
    if (up) count_up(digits);
    point += digits.size() - before;
    digits.erase(0, std::min(digits.find_first_not_of('0'), point - 1));
    point = digits.size() - static_cast<std::size_t>(decimals);
    const bool zero = digits.find_first_not_of('0') == digits.npos;
    if (decimals > 0) digits.insert(point, 1, '.');
    return value < 0 && !zero ? "-" + digits : digits;
}

struct Scale {
    double factor;
    std::string_view unit;
};

std::string scaled(double value, const Scale& scale) {
    const double shown = value / scale.factor;
    const double size = std::fabs(shown);
    const int decimals = size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
    return rounded(shown, decimals) + (scale.unit.empty() ? "" : " ") + std::string(scale.unit);
}

std::string scaled(double value, std::span<const Scale> scales) {
    const double size = std::fabs(value);
    constexpr double rounds_up = 0.99995;  // what is shown as 1.000 of the next unit
    const auto fits = [&](const Scale& scale) { return size >= rounds_up * scale.factor; };
    const auto found = std::find_if(scales.begin(), scales.end() - 1, fits);
    const bool whole = found->unit == "B";
    return whole ? rounded(value, 0) + " B" : scaled(value, *found);
}

}  // namespace

std::string rounded(double value, int decimals) {
    return shifted(value, 0, decimals);
}

std::string percent(double ratio) {
    constexpr double most = 1e7;  // from here on nobody counts digits
    if (std::isinf(ratio) && ratio > 0) return "from 0";
    if (!std::isfinite(ratio)) return "? %";
    if (std::fabs(ratio) > most) return fmt::format("{:+.2g} %", 100 * ratio);
    const std::string number = shifted(ratio, 2, 1);
    const bool plus = ratio > 0 && number.find_first_of("123456789") != number.npos;
    return (plus ? "+" : "") + number + " %";
}

std::string percent_within(double ratio, double low, double high) {
    const bool has_width = std::isfinite(low) && std::isfinite(high) && low < high;
    if (!has_width) return percent(ratio);
    return fmt::format("{} [{}, {}]", percent(ratio), shifted(low, 2, 1), shifted(high, 2, 1));
}

std::string change(double ratio, double before, double after, std::string_view unit) {
    if (!std::isinf(ratio) || ratio < 0) return percent(ratio);
    if (unit == "ns" || unit == "bytes") {
        return fmt::format("{} -> {}", quantity(before, unit), quantity(after, unit));
    }
    const auto words = harmless(unit, 20);
    return fmt::format("{:g} -> {:.4g}{}{}", before, after, words.empty() ? "" : " ", words);
}

std::string share(double ratio, int decimals) {
    return shifted(ratio, 2, decimals) + " %";
}

std::string quantity(double value, std::string_view unit) {
    static constexpr std::array times{
        Scale{1e9, "s"}, Scale{1e6, "ms"}, Scale{1e3, "\u00B5s"}, Scale{1, "ns"}};
    static constexpr std::array sizes{
        Scale{1024.0 * 1024 * 1024, "GiB"},
        Scale{1024.0 * 1024, "MiB"},
        Scale{1024, "KiB"},
        Scale{1, "B"}};
    if (!std::isfinite(value)) return "?";
    if (unit == "ns") return scaled(value, times);
    if (unit == "bytes") return scaled(value, sizes);
    const auto own = harmless(unit, 20);
    if (value == 0) return own.empty() ? "0" : "0 " + own;
    return scaled(value, Scale{1, own});
}

std::string counted(std::int64_t count, std::string_view singular, std::string_view plural) {
    if (count == 1) return fmt::format("1 {}", singular);
    return plural.empty() ? fmt::format("{} {}s", count, singular)
                          : fmt::format("{} {}", count, plural);
}

std::string duration(std::int64_t seconds) {
    if (seconds < 0) seconds = 0;
    if (seconds < 60) return fmt::format("{} s", seconds);
    if (seconds < 3600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
    if (seconds < 86400) return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
    return fmt::format("{} d {} h", seconds / 86400, seconds / 3600 % 24);
}

std::string short_duration(double seconds) {
    if (!std::isfinite(seconds)) return "?";
    if (seconds < 9.95) return rounded(std::max(seconds, 0.0), 1) + " s";
    return duration(std::llround(std::min(seconds, 1e15)));
}

std::string ago(std::int64_t then_s, std::int64_t now_s) {
    const std::int64_t distance = now_s - then_s;
    const std::int64_t size = distance < 0 ? -distance : distance;
    if (size < 2) return "now";
    std::string text = fmt::format("{} s", size);
    if (size >= 60) text = fmt::format("{} min", size / 60);
    if (size >= 3600) text = fmt::format("{} h", size / 3600);
    if (size >= 2 * 86400) text = fmt::format("{} d", size / 86400);
    return distance < 0 ? "in " + text : text + " ago";
}

std::string utc(std::int64_t seconds) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    if (gmtime_r(&time, &parts) == nullptr) return "?";
    return fmt::format(
        "{:04}-{:02}-{:02} {:02}:{:02}",
        parts.tm_year + 1900,
        parts.tm_mon + 1,
        parts.tm_mday,
        parts.tm_hour,
        parts.tm_min);
}

std::int64_t parse_day(const std::string& day) {
    std::tm parts{};
    const char* end = strptime(day.c_str(), "%Y-%m-%d", &parts);
    const bool read = day.size() == 10 && end != nullptr && *end == '\0';
    const std::int64_t seconds = read ? std::int64_t{timegm(&parts)} : 0;
    if (!read || utc(seconds).substr(0, 10) != day) {
        throw Error(Errc::invalid_argument, "'" + day + "' is not a day; write it as YYYY-MM-DD");
    }
    return seconds;
}

}  // namespace vigil::text
