#include "schema/wire/base64.hpp"

#include <cstdint>

namespace vigil::wire {

std::string base64(std::string_view bytes) {
    static constexpr std::string_view signs =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto byte = [&](std::size_t at) {
            return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
        };
        const std::uint32_t three = (byte(i) << 16) | (byte(i + 1) << 8) | byte(i + 2);
        out += signs[(three >> 18) & 63];
        out += signs[(three >> 12) & 63];
        out += i + 1 < bytes.size() ? signs[(three >> 6) & 63] : '=';
        out += i + 2 < bytes.size() ? signs[three & 63] : '=';
    }
    return out;
}

std::string base64_url(std::string_view bytes) {
    std::string out = base64(bytes);
    for (char& c : out) {
        if (c == '+') c = '-';
        if (c == '/') c = '_';
    }
    while (out.ends_with('=')) out.pop_back();
    return out;
}

}  // namespace vigil::wire
