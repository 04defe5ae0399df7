#pragma once

#include "worker/bench/zoo/blocks/layers.hpp"

namespace vigil_bench::zoo {

/// Pictures of 224 x 224 into the 1000 classes of ImageNet, trained by cross entropy.
class ImageClassifier : public Network {
  public:
    static constexpr std::int64_t classes = 1000;

    /// @param pictures  [b,3,224,224]
    /// @return [b,1000]
    virtual Tensor forward(const Tensor& pictures) = 0;

    Tensors make_inputs(std::int64_t batch) const override {
        return {torch::randn({batch, 3, 224, 224}), torch::randint(classes, {batch}, torch::kLong)};
    }
    Tensors answer(const Tensors& inputs) override { return {forward(inputs[0])}; }
    Tensor loss(const Tensors& inputs) override {
        return torch::cross_entropy_loss(forward(inputs[0]), inputs[1]);
    }
};

/// A trunk, and a head that reads the trunk's mean over the picture.
template <typename Trunk, typename Head>
class TrunkClassifier final : public ImageClassifier {
  public:
    TrunkClassifier(const Trunk& trunk, const Head& head)
        : trunk_(register_module("trunk", trunk)), head_(register_module("head", head)) {}

    Tensor forward(const Tensor& pictures) override {
        return head_->forward(mean_over_picture(trunk_->forward(pictures)));
    }

  private:
    Trunk trunk_;
    Head head_;
};

template <typename Trunk, typename Head>
std::shared_ptr<Network> trunk_classifier(const Trunk& trunk, const Head& head) {
    return std::make_shared<TrunkClassifier<Trunk, Head>>(trunk, head);
}

}  // namespace vigil_bench::zoo
