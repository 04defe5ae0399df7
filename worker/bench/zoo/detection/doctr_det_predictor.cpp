#include "worker/bench/zoo/blocks/residual_net.hpp"

// Liao et al. 2020, "Real-time scene text detection with differentiable binarization", on ResNet-50
// with a feature pyramid, as docTR's `db_resnet50`; one page of 1024 x 1024. Only training reads
// the head of thresholds.

namespace vigil_bench::zoo::doctr_det_predictor {

constexpr std::int64_t width = 256;
constexpr std::int64_t narrow = width / 4;

Tensor enlarged(const Tensor& x, std::int64_t by) {
    return torch::upsample_bilinear2d(x, {x.size(2) * by, x.size(3) * by}, true);
}

nn::ConvTranspose2d doubling(std::int64_t out, bool has_bias) {
    return nn::ConvTranspose2d(nn::ConvTranspose2dOptions(narrow, out, 2).stride(2).bias(has_bias));
}

nn::Sequential head() {
    nn::Sequential layers;
    layers->extend(*conv_norm(width, narrow, Kernel(3)));
    layers->push_back(doubling(narrow, false));
    layers->push_back(nn::BatchNorm2d(narrow));
    layers->push_back(activation(Activation::relu));
    layers->push_back(doubling(1, true));
    return layers;
}

struct DbNet final : Network {
    DbNet() {
        ResidualShape shape;
        shape.block = ResidualShape::Block::bottleneck;
        std::int64_t in = 64;
        std::int64_t planes = 64;
        for (const int count : {3, 4, 6, 3}) {
            nn::Sequential stage;
            for (int i = 0; i < count; ++i) {
                add_residual_block(stage, shape, in, planes, i == 0 && planes > 64 ? 2 : 1);
                in = 4 * planes;
            }
            stages->push_back(stage);
            inward->push_back(conv_norm(in, width, Kernel(1)));
            outward->push_back(conv_norm(width, narrow, Kernel(3)));
            planes *= 2;
        }
        register_module("stages", stages);
        register_module("inward", inward);
        register_module("outward", outward);
        stem->push_back(max_pool(3, 2, 1));
    }

    Tensors make_inputs(std::int64_t batch) const override {
        return {torch::randn({batch, 3, 1024, 1024})};
    }

    /// How likely each place is text, [b,1,h,w].
    Tensors answer(const Tensors& inputs) override {
        Tensor x = stem->forward(inputs[0]);
        Tensors levels;
        for (std::size_t i = 0; i < stages->size(); ++i) {
            x = stages[i]->as<nn::Sequential>()->forward(x);
            levels.push_back(inward[i]->as<nn::Sequential>()->forward(x));
        }
        for (std::size_t i = levels.size() - 1; i > 0; --i) {
            levels[i - 1] = levels[i - 1] + enlarged(levels[i], 2);
        }
        Tensors parts;
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const Tensor part = outward[i]->as<nn::Sequential>()->forward(levels[i]);
            parts.push_back(enlarged(part, std::int64_t{1} << i));
        }
        return {likely->forward(torch::cat(parts, 1)).sigmoid()};
    }

    Tensor loss(const Tensors& inputs) override { return answer(inputs)[0].sum(); }

    nn::Sequential stem = register_module("stem", conv_norm(3, 64, Kernel(7, 2)));
    nn::ModuleList stages;
    nn::ModuleList inward;
    nn::ModuleList outward;
    nn::Sequential likely = register_module("likely", head());
    nn::Sequential thresholds = register_module("thresholds", head());
};

const Registered<DbNet> registered(
    {"doctr_det_predictor",
     "detection",
     "DBNet on ResNet-50, text on a page of 1024 x 1024",
     25'412'162,
     "docTR db_resnet50, 25.4 M; Liao et al. 2020: from its sizes",
     1,
     0});

}  // namespace vigil_bench::zoo::doctr_det_predictor
