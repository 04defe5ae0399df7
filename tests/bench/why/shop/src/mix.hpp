#pragma once

#include <cstdint>

namespace shop {

inline std::uint32_t mix(std::uint32_t x) {
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ (x << 5);
}

}  // namespace shop
