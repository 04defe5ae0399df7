#include "mix.hpp"
#include "shop.hpp"

namespace shop {

/// Ways from one corner of a grid to the other, only right and down.
std::uint64_t paths(int width, int height) {
    std::vector<std::uint64_t> row(width + 1, 1);
    for (int y = 0; y < height; ++y) {
        for (int x = 1; x <= width; ++x) row[x] += row[x - 1];
    }
    return row[width];
}

std::uint32_t scramble(const std::vector<std::uint32_t>& values) {
    std::uint32_t sum = 0;
    for (const auto value : values) sum += mix(value + sum);
    return sum;
}

}  // namespace shop
