#include "worker/bench/zoo/blocks/layers.hpp"
#include "worker/bench/zoo/sizes.hpp"

// Defossez et al. 2019, "Music source separation in the waveform domain", Demucs with 64 channels
// (section 4.3); about a second of stereo sound.

namespace vigil_bench::zoo::demucs {

constexpr std::int64_t sources = 4;
constexpr std::int64_t stereo = 2;
constexpr std::int64_t depth = 6;
constexpr std::int64_t size = 8;
constexpr std::int64_t stride = 4;

/// About a second, which every layer divides without rest; ten steps are left for the LSTM.
std::int64_t sound_length() {
    std::int64_t length = 10;
    for (std::int64_t i = 0; i < depth; ++i) length = (length - 1) * stride + size;
    return length;
}

nn::Sequential shrink(std::int64_t in, std::int64_t out) {
    return nn::Sequential(
        nn::Conv1d(nn::Conv1dOptions(in, out, size).stride(stride)),
        activation(Activation::relu),
        nn::Conv1d(nn::Conv1dOptions(out, 2 * out, 1)),
        nn::Functional([](const Tensor& x) { return torch::glu(x, 1); }));
}

nn::Sequential grow(std::int64_t in, std::int64_t out) {
    return nn::Sequential(
        nn::Conv1d(nn::Conv1dOptions(in, 2 * in, 3)),
        nn::Functional([](const Tensor& x) { return torch::glu(x, 1); }),
        nn::ConvTranspose1d(nn::ConvTranspose1dOptions(in, out, size).stride(stride)));
}

/// The middle of a longer sound.
Tensor cut(const Tensor& x, std::int64_t length) {
    return x.narrow(2, (x.size(2) - length) / 2, length);
}

struct Demucs final : Network {
    Demucs() {
        std::int64_t in = stereo;
        std::int64_t out = 64;
        std::vector<nn::Sequential> growing;
        for (std::int64_t i = 0; i < depth; ++i) {
            encoder->push_back(shrink(in, out));
            growing.push_back(grow(out, i == 0 ? sources * stereo : in));
            in = out;
            out *= 2;
        }
        for (auto layer = growing.rbegin(); layer != growing.rend(); ++layer) {
            decoder->push_back(*layer);
        }
        register_module("encoder", encoder);
        register_module("decoder", decoder);
        memory = register_module(
            "memory", nn::LSTM(nn::LSTMOptions(in, in).num_layers(2).bidirectional(true)));
        merge = register_module("merge", nn::Linear(2 * in, in));
    }

    Tensors make_inputs(std::int64_t batch) const override {
        const auto length = sound;
        return {
            torch::randn({batch, stereo, length}), torch::randn({batch, sources, stereo, length})};
    }

    /// [b,sources,2,n], n a little shorter than the input's
    Tensor forward(const Tensor& mixed) {
        Tensor x = mixed;
        Tensors skipped;
        for (const auto& layer : *encoder) {
            x = layer->as<nn::Sequential>()->forward(x);
            skipped.push_back(x);
        }
        x = merge(std::get<0>(memory(x.permute({2, 0, 1})))).permute({1, 2, 0});
        for (const auto& layer : *decoder) {
            x = x + cut(skipped.back(), x.size(2));
            skipped.pop_back();
            x = layer->as<nn::Sequential>()->forward(x);
            if (!skipped.empty()) x = x.relu();
        }
        return x.view({x.size(0), sources, stereo, x.size(2)});
    }

    Tensors answer(const Tensors& inputs) override { return {forward(inputs[0])}; }

    Tensor loss(const Tensors& inputs) override {
        const Tensor apart = forward(inputs[0]);
        const auto length = apart.size(3);
        const auto start = (inputs[1].size(3) - length) / 2;
        return torch::l1_loss(apart, inputs[1].narrow(3, start, length));
    }

    std::int64_t sound = size_of_inputs(sound_length(), 382'788);  // 8.7 s: TorchBench's
    nn::ModuleList encoder;
    nn::ModuleList decoder;
    nn::LSTM memory = nullptr;
    nn::Linear merge = nullptr;
};

const Registered<Demucs> registered(
    {"demucs",
     "speech",
     "Demucs of 64 channels, 1 s",
     265'679'496,
     "Defossez et al. 2019, section 4.3: 64 channels, 1014 MB",
     1,
     1});

const Sized sized({"demucs", "1 s", "8.7 s"});

}  // namespace vigil_bench::zoo::demucs
