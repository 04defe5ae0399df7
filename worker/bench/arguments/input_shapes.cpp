#include "worker/bench/arguments/input_shapes.hpp"

#include <stdexcept>

namespace vigil_bench {

namespace {

constexpr std::int64_t max_size = std::int64_t{1} << 40;
constexpr std::size_t max_inputs = 64;
constexpr std::size_t max_dimensions = 16;

std::vector<std::string> split(const std::string& text, char mark) {
    std::vector<std::string> parts;
    std::size_t start = 0;
    for (auto end = text.find(mark); end != std::string::npos; end = text.find(mark, start)) {
        parts.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    parts.push_back(text.substr(start));
    return parts;
}

[[noreturn]] void refuse(const std::string& part) {
    throw std::invalid_argument(
        "shapes like 1x3x224x224 or int64:1x128:30522, separated by commas, not '" + part + "'");
}

std::int64_t whole(const std::string& text, const std::string& part) {
    std::int64_t value = 0;
    if (text.empty()) refuse(part);
    for (const char c : text) {
        if (c < '0' || c > '9') refuse(part);
        value = value * 10 + (c - '0');
        if (value > max_size) refuse(part);
    }
    return value;
}

InputType type_of(const std::string& name, const std::string& part) {
    if (name == "float32") return InputType::float32;
    if (name == "float64") return InputType::float64;
    if (name == "int64") return InputType::int64;
    if (name == "int32") return InputType::int32;
    if (name == "bool") return InputType::boolean;
    refuse(part);
}

InputShape shape_of(const std::string& part) {
    InputShape shape;
    auto fields = split(part, ':');
    if (fields.size() > 3) refuse(part);
    const bool is_typed = fields.size() > 1;
    if (is_typed) shape.type = type_of(fields[0], part);
    const std::string& sizes = fields[is_typed ? 1 : 0];
    if (!is_typed || !sizes.empty()) {
        std::int64_t values = 1;
        for (const auto& size : split(sizes, 'x')) {
            shape.sizes.push_back(whole(size, part));
            if (shape.sizes.back() == 0 || values > max_size / shape.sizes.back()) refuse(part);
            values *= shape.sizes.back();
        }
    }
    if (shape.sizes.size() > max_dimensions) refuse(part);
    if (fields.size() == 3) {
        const bool is_whole = shape.type == InputType::int64 || shape.type == InputType::int32;
        shape.below = whole(fields[2], part);
        if (!is_whole || shape.below == 0) refuse(part);
        if (shape.type == InputType::int32 && shape.below > INT32_MAX) refuse(part);
    }
    return shape;
}

}  // namespace

std::vector<InputShape> parse_input_shapes(const std::string& text) {
    std::vector<InputShape> shapes;
    for (const auto& part : split(text, ',')) {
        if (shapes.size() == max_inputs) refuse(part);
        shapes.push_back(shape_of(part));
    }
    return shapes;
}

}  // namespace vigil_bench
