#include <charconv>

#include "shop.hpp"

namespace shop {

std::string join(const std::vector<std::uint32_t>& values) {
    std::string text;
    char digits[16];
    for (const auto value : values) {
        const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
        text.append(digits, end);
        text += ',';
    }
    return text;
}

/// Of the fields that are numbers.
std::uint32_t sum_of(const Words& fields) {
    std::uint32_t sum = 0;
    for (const auto& field : fields) {
        std::uint32_t value = 0;
        std::from_chars(field.data(), field.data() + field.size(), value);
        sum += value;
    }
    return sum;
}

}  // namespace shop
