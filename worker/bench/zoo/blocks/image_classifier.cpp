#include "worker/bench/zoo/blocks/image_classifier.hpp"

namespace vigil_bench::zoo {

Tensors ImageClassifier::make_inputs(std::int64_t batch) const {
    constexpr std::int64_t side = 224;
    return {torch::randn({batch, 3, side, side}), torch::randint(classes, {batch}, torch::kLong)};
}

Tensors ImageClassifier::answer(const Tensors& inputs) {
    return {forward(inputs[0])};
}

Tensor ImageClassifier::loss(const Tensors& inputs) {
    return torch::cross_entropy_loss(forward(inputs[0]), inputs[1]);
}

}  // namespace vigil_bench::zoo
