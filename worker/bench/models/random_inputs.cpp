#include "worker/bench/models/random_inputs.hpp"

#include <filesystem>

#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

namespace vigil_bench {

namespace {

at::ScalarType type_of(InputType type) {
    switch (type) {
        case InputType::float32: return at::kFloat;
        case InputType::float64: return at::kDouble;
        case InputType::int64: return at::kLong;
        case InputType::int32: return at::kInt;
        case InputType::boolean: return at::kBool;
    }
    return at::kFloat;
}

at::Tensor random_input(const InputShape& shape, std::int64_t batch) {
    auto sizes = shape.sizes;
    if (!sizes.empty()) sizes[0] = batch;
    const auto type = type_of(shape.type);
    if (at::isFloatingType(type)) return at::randn(sizes).to(type);
    return at::randint(shape.below, sizes, at::kLong).to(type);
}

}  // namespace

Tensors random_inputs(const std::vector<InputShape>& shapes, std::int64_t batch) {
    Tensors inputs;
    for (const auto& shape : shapes) inputs.push_back(random_input(shape, batch));
    return inputs;
}

void check_model_file(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) refuse_model_file(path, "is not there");
    if (!std::filesystem::is_regular_file(path, error)) refuse_model_file(path, "is no file");
}

void refuse_model_file(const std::string& path, const std::string& why) {
    throw BadFileError("model file '" + path + "' " + why);
}

}  // namespace vigil_bench
