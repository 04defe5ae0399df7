#include "worker/bench/zoo/blocks/image_classifier.hpp"

// Ma et al. 2018, "ShuffleNet V2", Table 5, width 1.

namespace vigil_bench::zoo::shufflenet_v2_x1_0 {

/// Convolves one half of the channels and shuffles both; at stride 2 both halves see all channels.
struct ShuffleBlockImpl final : nn::Module {
    ShuffleBlockImpl(std::int64_t in, std::int64_t out, std::int64_t stride) {
        const std::int64_t half = out / 2;
        const std::int64_t wide = stride == 2 ? in : half;
        if (stride == 2) {
            first->extend(*conv_norm(in, in, Kernel(3, 2, in), Activation::none));
            first->extend(*conv_norm(in, half, Kernel(1)));
        }
        second->extend(*conv_norm(wide, half, Kernel(1)));
        second->extend(*conv_norm(half, half, Kernel(3, stride, half), Activation::none));
        second->extend(*conv_norm(half, half, Kernel(1)));
        register_module("first", first);
        register_module("second", second);
    }

    Tensor forward(const Tensor& x) {
        Tensor both;
        if (first->is_empty()) {
            const auto halves = x.chunk(2, 1);
            both = torch::cat({halves[0], second->forward(halves[1])}, 1);
        } else {
            both = torch::cat({first->forward(x), second->forward(x)}, 1);
        }
        const std::int64_t half = both.size(1) / 2;
        return both.view({both.size(0), 2, half, both.size(2), both.size(3)})
            .transpose(1, 2)
            .flatten(1, 2);
    }

    nn::Sequential first;
    nn::Sequential second;
};
TORCH_MODULE(ShuffleBlock);

std::shared_ptr<Network> make() {
    nn::Sequential trunk;
    trunk->extend(*conv_norm(3, 24, Kernel(3, 2)));
    trunk->push_back(max_pool(3, 2, 1));
    std::int64_t in = 24;
    for (const auto& [out, count] :
         std::vector<std::pair<std::int64_t, int>>{{116, 4}, {232, 8}, {464, 4}}) {
        for (int i = 0; i < count; ++i) {
            trunk->push_back(ShuffleBlock(in, out, i == 0 ? 2 : 1));
            in = out;
        }
    }
    trunk->extend(*conv_norm(in, 1024, Kernel(1)));
    return trunk_classifier(trunk, nn::Linear(1024, ImageClassifier::classes));
}

const Registered<Network> registered(
    {"shufflenet_v2_x1_0",
     "classification",
     "ShuffleNetV2 of width 1, 224 x 224",
     2'278'604,
     "torchvision shufflenet_v2_x1_0; Ma et al. 2018, Table 5",
     4,
     4},
    &make);

}  // namespace vigil_bench::zoo::shufflenet_v2_x1_0
