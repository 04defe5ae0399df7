#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

// The operators the models are made of. A library under test replaces any of them by registering,
// under its own namespace, operators of these names and schemas (TORCH_LIBRARY, checked when the
// library is loaded; all tensors float32 on the CPU and contiguous unless said otherwise):
//
//   linear(Tensor x, Tensor weight, Tensor bias) -> Tensor             [n,i] [o,i] [o] -> [n,o]
//   bias_gelu(Tensor x, Tensor bias) -> Tensor                         gelu(x + bias)
//   layer_norm(Tensor x, Tensor weight, Tensor bias) -> Tensor         over the last dimension
//   scores(Tensor query, Tensor key) -> Tensor                         query [b,n,d] x key' [b,n,d]
//   conv2d(Tensor x, Tensor weight, Tensor bias) -> Tensor             stride 1, same padding
//   max_pool(Tensor x) -> Tensor                                       2 x 2, stride 2
//   sgd_step(Tensor parameter, Tensor gradient, float rate) -> Tensor  in place; returns parameter
//
// In train mode the operators are called with autograd on: what they compute must be
// differentiable, or the parameters come out wrong, which the check against LibTorch notices.

namespace vigil_bench {

using at::Tensor;

struct Operators {
    std::function<Tensor(const Tensor& x, const Tensor& weight, const Tensor& bias)> linear;
    std::function<Tensor(const Tensor& x, const Tensor& bias)> bias_gelu;
    std::function<Tensor(const Tensor& x, const Tensor& weight, const Tensor& bias)> layer_norm;
    std::function<Tensor(const Tensor& query, const Tensor& key)> scores;
    std::function<Tensor(const Tensor& x, const Tensor& weight, const Tensor& bias)> conv2d;
    std::function<Tensor(const Tensor& x)> max_pool;
    std::function<Tensor(const Tensor& parameter, const Tensor& gradient, double rate)> sgd_step;
    std::vector<std::string> from_library;  ///< names of those that a library replaced
};

/// LibTorch's own: the reference.
Operators reference_operators();

/// Loads `path` and puts its operators in the place of LibTorch's.
/// @param prefix  namespace of its operators; empty: the file's name without "lib" and suffix
/// @throws std::runtime_error when the library cannot be loaded, has none of the operators, or one
///         of another schema
Operators library_operators(const std::string& path, const std::string& prefix);

}  // namespace vigil_bench
