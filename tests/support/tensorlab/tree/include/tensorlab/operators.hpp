#pragma once

#include <ATen/core/Tensor.h>

namespace tensorlab {

/// x times weight transposed, plus bias: [n,i] [o,i] [o] -> [n,o].
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// gelu(x + bias), the bias over the last dimension.
at::Tensor bias_gelu(const at::Tensor& x, const at::Tensor& bias);

/// Normalises the last dimension to mean 0 and variance 1, then scales and shifts it.
at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// Products of every query with every key: [b,n,d] [b,m,d] -> [b,n,m].
at::Tensor scores(const at::Tensor& query, const at::Tensor& key);

/// Convolution with stride 1 and same padding: [b,c,h,w] [o,c,k,k] [o] -> [b,o,h,w].
at::Tensor conv2d(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// The largest of each 2 x 2: [b,c,h,w] -> [b,c,h/2,w/2].
at::Tensor max_pool(const at::Tensor& x);

/// One step of gradient descent, in place; returns the parameter.
at::Tensor sgd_step(const at::Tensor& parameter, const at::Tensor& gradient, double rate);

}  // namespace tensorlab
