#include <algorithm>

#include "worker/bench/zoo/network.hpp"

// Wan et al. 2017, "Generalized end-to-end loss for speaker verification", section 3: three LSTM
// layers of 768, each projected to 256; the input is 40 log-mel energies a frame.

namespace vigil_bench::zoo::speaker_encoder {

constexpr std::int64_t energies = 40;
constexpr std::int64_t hidden = 768;
constexpr std::int64_t projected = 256;
constexpr std::int64_t frames = 50;
constexpr std::int64_t utterances = 4;  ///< of each speaker
constexpr int layer_count = 3;

struct SpeakerEncoder final : Network {
    SpeakerEncoder() {
        std::int64_t in = energies;
        for (int i = 0; i < layer_count; ++i) {
            const auto number = std::to_string(i);
            layers.push_back(register_module(
                "layer" + number, nn::LSTM(nn::LSTMOptions(in, hidden).batch_first(true))));
            projections.push_back(register_module(
                "projection" + number,
                nn::Linear(nn::LinearOptions(hidden, projected).bias(false))));
            in = projected;
        }
        last = register_module("last", nn::Linear(projected, projected));
    }

    /// Each row is one utterance; four in a row are of one speaker while training.
    Tensors make_inputs(std::int64_t batch) const override {
        return {torch::randn({batch, frames, energies})};
    }

    Tensor forward(const Tensor& speech) {
        Tensor x = speech;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            x = projections[i](std::get<0>(layers[i](x)));
        }
        const Tensor voice = last(x.select(1, frames - 1)).relu();
        return voice / (voice.norm(2, {1}, true) + 1e-5);
    }

    Tensors answer(const Tensors& inputs) override { return {forward(inputs[0])}; }

    /// Cross entropy of each utterance's similarity to every speaker's mean voice. One speaker
    /// alone would be no choice, and have no gradient: of few rows each speaker has fewer.
    Tensor loss(const Tensors& inputs) override {
        const Tensor voices = forward(inputs[0]);
        const std::int64_t of_each = std::min(utterances, (voices.size(0) + 1) / 2);
        const std::int64_t speakers = (voices.size(0) + of_each - 1) / of_each;
        const auto numbers = torch::TensorOptions(torch::kLong).device(voices.device());
        const Tensor speaker = torch::arange(voices.size(0), numbers).div(of_each, "floor");
        const Tensor members = torch::one_hot(speaker, speakers).to(voices.dtype());
        const Tensor means = members.t().mm(voices) / members.sum(0).unsqueeze(1);
        return torch::cross_entropy_loss(10 * voices.mm(means.t()) - 5, speaker);
    }

    std::vector<nn::LSTM> layers;
    std::vector<nn::Linear> projections;
    nn::Linear last = nullptr;
};

const Registered<SpeakerEncoder> registered(
    {"speaker_encoder",
     "speech",
     "LSTM speaker encoder, 50 frames",
     9'447'680,
     "Wan et al. 2017, section 3 (three LSTM layers of 768, projections of 256): from its sizes",
     8,
     8});

}  // namespace vigil_bench::zoo::speaker_encoder
