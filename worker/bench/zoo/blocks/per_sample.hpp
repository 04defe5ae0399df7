#pragma once

#include <functional>

#include "worker/bench/zoo/network.hpp"

// The gradient of each row of a batch by itself, its norm limited, as differentially private
// training needs it (Abadi et al. 2016).

namespace vigil_bench::zoo {

/// A weight and its gradient by row, [b,...] of as many values a row as the weight has.
struct RowGradients {
    Tensor weight;
    Tensor of_rows;
};

/// What layers read and made in one pass. Nothing may change an output in place.
class Taps {
  public:
    Tensor operator()(nn::Conv2d& layer, const Tensor& x);
    Tensor operator()(nn::Linear& layer, const Tensor& x);
    Tensor operator()(nn::GroupNorm& layer, const Tensor& x);

    /// Of every layer that was passed, in order: weight, then bias where there is one.
    /// @param loss_of_rows  [b]
    std::vector<RowGradients> gradients(const Tensor& loss_of_rows, bool keeps_graph) const;

  private:
    struct Tap {
        Tensor output;
        Tensor weight;
        Tensor bias;
        std::function<Tensor(const Tensor& slope)> of_weight;
        std::function<Tensor(const Tensor& slope)> of_bias;
    };
    Tensor keep(Tap tap);

    std::vector<Tap> taps_;
};

/// By how much each row's gradient is shrunk to a norm of at most 1, [b].
Tensor limits_of(const std::vector<RowGradients>& gradients);

/// The mean of the rows' losses, whose gradient is the mean of their limited gradients. The noise
/// that privacy adds is left out: it would drown every gradient in the comparison with float64.
/// @param loss_of_rows  [b], by layers that `taps` saw
Tensor private_loss(const Taps& taps, const Tensor& loss_of_rows);

/// ResNet-18 (He et al. 2015) with groups of 32 instead of batch norms, on the pictures of CIFAR-10
/// (32 x 32, 10 kinds), trained by private_loss().
/// @param classes  that it scores, at least 10
std::shared_ptr<Network> make_private_resnet(std::int64_t classes);

}  // namespace vigil_bench::zoo
