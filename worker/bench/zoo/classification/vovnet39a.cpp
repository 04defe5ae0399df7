#include "worker/bench/zoo/blocks/image_classifier.hpp"

// Lee et al. 2019, "An energy and GPU-computation efficient backbone network", VoVNet-39: blocks of
// five convolutions whose outputs are all gathered once, at the end.

namespace vigil_bench::zoo::vovnet39a {

struct OneShotImpl final : nn::Module {
    OneShotImpl(std::int64_t in, std::int64_t middle, std::int64_t out) {
        constexpr int count = 5;
        for (int i = 0; i < count; ++i) {
            convs->push_back(conv_norm(i == 0 ? in : middle, middle, Kernel(3)));
        }
        register_module("convs", convs);
        gather = register_module("gather", conv_norm(in + count * middle, out, Kernel(1)));
    }

    Tensor forward(const Tensor& x) {
        Tensors all = {x};
        for (const auto& layer : *convs) {
            all.push_back(layer->as<nn::Sequential>()->forward(all.back()));
        }
        return gather->forward(torch::cat(all, 1));
    }

    nn::ModuleList convs;
    nn::Sequential gather = nullptr;
};
TORCH_MODULE(OneShot);

std::shared_ptr<Network> make() {
    struct Row {
        std::int64_t middle, out;
        int count;
    };
    nn::Sequential trunk;
    trunk->extend(*conv_norm(3, 64, Kernel(3, 2)));
    trunk->extend(*conv_norm(64, 64, Kernel(3)));
    trunk->extend(*conv_norm(64, 128, Kernel(3, 2)));
    std::int64_t in = 128;
    for (const Row& row :
         {Row{128, 256, 1}, Row{160, 512, 1}, Row{192, 768, 2}, Row{224, 1024, 2}}) {
        if (in != 128) {
            trunk->push_back(nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).ceil_mode(true)));
        }
        for (int i = 0; i < row.count; ++i) {
            trunk->push_back(OneShot(in, row.middle, row.out));
            in = row.out;
        }
    }
    return trunk_classifier(trunk, nn::Linear(in, ImageClassifier::classes));
}

const Registered<Network> registered(
    {"vovnet39a",
     "classification",
     "VoVNet-39, 224 x 224",
     22'600'296,
     "timm vovnet39a, 22.60 M; Lee et al. 2019, Table 1",
     1,
     2},
    &make);

}  // namespace vigil_bench::zoo::vovnet39a
