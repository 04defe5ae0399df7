#pragma once

#include <optional>
#include <string>

namespace vigil_bench {

/// Multiply-adds of a forward pass of one picture of 224 x 224, in 10^9, as torchvision states them
/// ("GFLOPS" in its tables: matrix products and convolutions only).
/// @param model  a name of the zoo; nothing: no source is known
std::optional<double> published_multiply_adds(const std::string& model);

}  // namespace vigil_bench
