#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vigil_bench {

enum class InputType { float32, float64, int64, int32, boolean };

/// One input of a model file.
struct InputShape {
    InputType type = InputType::float32;
    std::vector<std::int64_t> sizes;  ///< [dimensions], the first is the batch; empty: one number
    std::int64_t below = 2;           ///< whole numbers are drawn from 0 up to this
};

/// Reads "1x3x224x224", "int64:1x128", "int64:1x128:30522" (numbers below 30522), "bool:4x4",
/// several separated by commas; "float32:" is one number.
/// @throws std::invalid_argument saying which part is none
std::vector<InputShape> parse_input_shapes(const std::string& text);

}  // namespace vigil_bench
