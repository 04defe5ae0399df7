#pragma once

#include "worker/bench/zoo/network.hpp"

namespace vigil_bench::zoo {

/// Pictures of 224 x 224 into the 1000 classes of ImageNet, trained by cross entropy.
class ImageClassifier : public Network {
  public:
    static constexpr std::int64_t classes = 1000;

    /// @param pictures  [b,3,224,224]
    /// @return [b,1000]
    virtual Tensor forward(const Tensor& pictures) = 0;

    Tensors make_inputs(std::int64_t batch) const override;
    Tensors answer(const Tensors& inputs) override;
    Tensor loss(const Tensors& inputs) override;
};

}  // namespace vigil_bench::zoo
