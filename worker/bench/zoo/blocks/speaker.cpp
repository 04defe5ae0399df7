#include "worker/bench/zoo/blocks/speaker.hpp"

#include <algorithm>

namespace vigil_bench::zoo {

SpeakerTrunkImpl::SpeakerTrunkImpl() {
    constexpr std::int64_t hidden = 768;
    constexpr int layer_count = 3;
    std::int64_t in = 40;
    for (int i = 0; i < layer_count; ++i) {
        const auto number = std::to_string(i);
        layers_.push_back(register_module(
            "layer" + number, nn::LSTM(nn::LSTMOptions(in, hidden).batch_first(true))));
        projections_.push_back(register_module(
            "projection" + number,
            nn::Linear(nn::LinearOptions(hidden, speaker_width).bias(false))));
        in = speaker_width;
    }
}

Tensor SpeakerTrunkImpl::forward(const Tensor& speech) {
    Tensor x = speech;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        x = projections_[i](std::get<0>(layers_[i](x)));
    }
    return x.select(1, x.size(1) - 1);
}

Tensor speakers_of(const Tensor& voices) {
    constexpr std::int64_t utterances = 4;
    const std::int64_t of_each = std::min(utterances, (voices.size(0) + 1) / 2);
    const std::int64_t speakers = (voices.size(0) + of_each - 1) / of_each;
    const auto numbers = torch::TensorOptions(torch::kLong).device(voices.device());
    const Tensor speaker = torch::arange(voices.size(0), numbers).div(of_each, "floor");
    return torch::one_hot(speaker, speakers).to(voices.dtype());
}

}  // namespace vigil_bench::zoo
