#include "worker/bench/zoo/blocks/layers.hpp"

// Shi et al. 2015, "An end-to-end trainable neural network for image-based sequence recognition",
// on VGG-16 with batch norms, as docTR's `crnn_vgg16_bn`; words of 32 x 128 in the 126 characters
// of French.

namespace vigil_bench::zoo::doctr_reco_predictor {

constexpr std::int64_t characters = 126;
constexpr std::int64_t units = 128;

struct Crnn final : Network {
    Crnn() {
        const std::vector<std::vector<std::int64_t>> stages = {
            {64, 64}, {128, 128}, {256, 256, 256}, {512, 512, 512}, {512, 512, 512}};
        std::int64_t in = 3;
        for (std::size_t i = 0; i < stages.size(); ++i) {
            for (const auto out : stages[i]) {
                features->push_back(conv_with_bias(in, out, Kernel(3)));
                features->push_back(nn::BatchNorm2d(out));
                features->push_back(activation(Activation::relu));
                in = out;
            }
            // The last three keep the width: it is the line of text.
            const std::int64_t across = i < 2 ? 2 : 1;
            features->push_back(nn::MaxPool2d(nn::MaxPool2dOptions({2, across})));
        }
        register_module("features", features);
        memory = register_module(
            "memory",
            nn::LSTM(
                nn::LSTMOptions(in, units).num_layers(2).bidirectional(true).batch_first(true)));
        head = register_module("head", nn::Linear(2 * units, characters + 1));
    }

    Tensors make_inputs(std::int64_t batch) const override {
        return {torch::randn({batch, 3, 32, 128})};
    }

    /// Scores of each character, or of none, along the line, [b,32,127].
    Tensors answer(const Tensors& inputs) override {
        const Tensor line = features->forward(inputs[0]).flatten(1, 2).transpose(1, 2);
        return {head(std::get<0>(memory(line)))};
    }

    Tensor loss(const Tensors& inputs) override { return answer(inputs)[0].sum(); }

    nn::Sequential features;
    nn::LSTM memory = nullptr;
    nn::Linear head = nullptr;
};

const Registered<Crnn> registered(
    {"doctr_reco_predictor",
     "detection",
     "CRNN on VGG-16, a word of 32 x 128",
     15'808'447,
     "docTR crnn_vgg16_bn, 126 characters, 15.8 M; Shi et al. 2015: from its sizes",
     1,
     0});

}  // namespace vigil_bench::zoo::doctr_reco_predictor
