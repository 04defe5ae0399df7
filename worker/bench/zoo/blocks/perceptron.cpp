#include "worker/bench/zoo/blocks/perceptron.hpp"

namespace vigil_bench::zoo {

nn::Sequential perceptron(const std::vector<std::int64_t>& widths, Activation kind) {
    nn::Sequential layers;
    for (std::size_t i = 1; i < widths.size(); ++i) {
        layers->push_back(nn::Linear(widths[i - 1], widths[i]));
        if (i + 1 < widths.size()) layers->push_back(activation(kind));
    }
    return layers;
}

}  // namespace vigil_bench::zoo
