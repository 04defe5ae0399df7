#pragma once

#include "worker/bench/zoo/blocks/layers.hpp"

namespace vigil_bench::zoo {

/// Pictures of 32 x 32 into the 10 classes of CIFAR-10, trained by cross entropy.
class TinyPictureClassifier final : public Network {
  public:
    static constexpr std::int64_t classes = 10;

    /// @param trunk  [b,3,32,32] -> [b,channels,h,w], read by its mean over the picture
    TinyPictureClassifier(const nn::Sequential& trunk, std::int64_t channels)
        : trunk_(register_module("trunk", trunk)),
          head_(register_module("head", nn::Linear(channels, classes))) {}

    Tensors make_inputs(std::int64_t batch) const override {
        return {torch::randn({batch, 3, 32, 32}), torch::randint(classes, {batch}, torch::kLong)};
    }
    Tensors answer(const Tensors& inputs) override {
        return {head_(mean_over_picture(trunk_->forward(inputs[0])))};
    }
    Tensor loss(const Tensors& inputs) override {
        return torch::cross_entropy_loss(answer(inputs)[0], inputs[1]);
    }

  private:
    nn::Sequential trunk_;
    nn::Linear head_;
};

}  // namespace vigil_bench::zoo
