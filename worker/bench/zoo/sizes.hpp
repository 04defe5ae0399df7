#pragma once

#include <cstdint>

#include "worker/bench/models/input_size.hpp"

namespace vigil_bench::zoo {

/// The size of inputs that a model with two of them is built for now.
/// @param small, published  in whatever unit
std::int64_t size_of_inputs(std::int64_t small, std::int64_t published);

/// Says that a model has two sizes: a static object in its file.
struct Sized {
    explicit Sized(SizedModel model);
};

}  // namespace vigil_bench::zoo
