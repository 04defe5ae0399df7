#include "service/cli/history/night_key.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "schema/text/times.hpp"
#include "service/cli/common/option.hpp"

namespace vigil::cli {

namespace {

constexpr std::int64_t max_night_number = 4'000'000'000'000'000;

std::string lower_case(std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

}  // namespace

NightKey parse_night(const std::string& night) {
    std::int64_t number = 0;
    const char* end = night.data() + night.size();
    const auto [at, error] = std::from_chars(night.data(), end, number);
    if (error == std::errc() && at == end && std::abs(number) <= max_night_number) {
        return {NightKey::Kind::number, number};
    }
    if (const auto time = text::parse_time(night)) return {NightKey::Kind::time, *time};
    refuse(
        "the night must be a whole number, a day like 2026-11-21 or a time like "
        "2026-11-21T04:05:06Z, not '" +
        night.substr(0, 60) + "'");
}

double parse_value(const std::string& text) {
    const std::string word = lower_case(text);
    if (word.empty() || word == "nan" || word == "na" || word == "null") {
        return std::numeric_limits<double>::quiet_NaN();
    }
    double value = 0;
    const char* begin = text.data() + (text.front() == '+' ? 1 : 0);
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(begin, end, value);
    if (error == std::errc::result_out_of_range) refuse("the value is out of range");
    if (error != std::errc() || at != end) {
        refuse("the value must be a number, not '" + text.substr(0, 60) + "'");
    }
    if (!std::isfinite(value)) refuse("the value is infinite");
    return value;
}

}  // namespace vigil::cli
