#include "service/tables/rounding.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "schema/model/error.hpp"

namespace vigil::tables {

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

}  // namespace

std::string rounded(double value, int decimals) {
    VIGIL_ASSERT(decimals >= 0 && decimals <= 9);
    if (!std::isfinite(value)) return "-";
    std::array<char, 400> room{};  // the largest double has 309 digits
    const auto end = std::to_chars(
        room.data(), room.data() + room.size(), std::fabs(value), std::chars_format::fixed);
    std::string digits(room.data(), end.ptr);
    auto point = digits.find('.');
    if (point == digits.npos) {
        point = digits.size();
        digits += '.';
    }
    const std::size_t wanted = point + 1 + static_cast<std::size_t>(decimals);
    if (digits.size() < wanted) digits.append(wanted - digits.size(), '0');
    const bool up = digits.size() > wanted && digits[wanted] >= '5';
    digits.resize(wanted);
    if (up) count_up(digits);
    if (decimals == 0) digits.pop_back();
    const bool zero = digits.find_first_not_of("0.") == digits.npos;
    return value < 0 && !zero ? "-" + digits : digits;
}

std::string rate_words(std::size_t part, std::size_t whole) {
    if (whole == 0) return "-";
    return fmt::format("{}%, {}/{}", (200 * part + whole) / (2 * whole), part, whole);
}

}  // namespace vigil::tables
