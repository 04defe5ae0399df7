#pragma once

#include <vector>

namespace shop {

/// Of a square matrix with itself, row by row.
template <class Number>
Number squared(const std::vector<Number>& matrix, int side) {
    Number sum = 0;
    for (int row = 0; row < side; ++row) {
        for (int column = 0; column < side; ++column) {
            Number value = 0;
            for (int i = 0; i < side; ++i) {
                value += matrix[row * side + i] * matrix[i * side + column];
            }
            sum += value;
        }
    }
    return sum;
}

}  // namespace shop
