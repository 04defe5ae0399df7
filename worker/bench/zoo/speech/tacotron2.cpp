#include "worker/bench/zoo/blocks/transformer.hpp"

// Shen et al. 2017, "Natural TTS synthesis", Tacotron 2 as NVIDIA's implementation has it: 64
// letters to 64 frames of 80 mel energies, the right frame before given at each step.

namespace vigil_bench::zoo::tacotron2 {

constexpr std::int64_t symbols = 148;
constexpr std::int64_t letters = 64;
constexpr std::int64_t frames = 64;
constexpr std::int64_t mels = 80;
constexpr std::int64_t width = 512;
constexpr std::int64_t state = 1024;
constexpr std::int64_t attention_width = 128;
constexpr std::int64_t filters = 32;

/// Convolutions of these widths, each with norm and dropout.
nn::Sequential conv_stack(
    const std::vector<std::int64_t>& widths, Activation kind, Activation last_kind) {
    nn::Sequential layers;
    for (std::size_t i = 1; i < widths.size(); ++i) {
        const auto own_kind = i + 1 < widths.size() ? kind : last_kind;
        layers->push_back(nn::Conv1d(nn::Conv1dOptions(widths[i - 1], widths[i], 5).padding(2)));
        layers->push_back(nn::BatchNorm1d(widths[i]));
        if (own_kind != Activation::none) layers->push_back(activation(own_kind));
        layers->push_back(nn::Dropout(0.5));
    }
    return layers;
}

/// Attention to the letters that also knows where it looked before.
struct LocationAttentionImpl final : nn::Module {
    /// @param looked  [b,2,letters]: weights of the last step, and of all steps before
    /// @return weights [b,letters]
    Tensor forward(const Tensor& asking, const Tensor& keys, const Tensor& looked) {
        const Tensor place = where_dense(where(looked).transpose(1, 2));
        const Tensor energy = score((query(asking).unsqueeze(1) + place + keys).tanh());
        return energy.squeeze(2).softmax(1);
    }

    nn::Linear query = register_module("query", linear_without_bias(state, attention_width));
    nn::Linear memory = register_module("memory", linear_without_bias(width, attention_width));
    nn::Linear score = register_module("score", linear_without_bias(attention_width, 1));
    nn::Conv1d where = register_module(
        "where", nn::Conv1d(nn::Conv1dOptions(2, filters, 31).padding(15).bias(false)));
    nn::Linear where_dense =
        register_module("where_dense", linear_without_bias(filters, attention_width));
};
TORCH_MODULE(LocationAttention);

struct Spoken {
    Tensor rough;   ///< [b,frames,mels]
    Tensor mels;    ///< after the last convolutions
    Tensor ending;  ///< [b,frames]
};

struct Tacotron2 final : Network {
    Tensors make_inputs(std::int64_t batch) const override {
        return {
            torch::randint(symbols, {batch, letters}, torch::kLong),
            torch::randn({batch, frames, mels}),
            torch::rand({batch, frames}).round()};
    }

    Spoken forward(const Tensor& text, const Tensor& wanted) {
        const auto drop = [&](const Tensor& x) { return torch::dropout(x, 0.1, is_training()); };
        const Tensor seen = convs->forward(embedding(text).transpose(1, 2)).transpose(1, 2);
        const Tensor memory = std::get<0>(encoder(seen));
        const Tensor keys = attention->memory(memory);
        const auto batch = text.size(0);
        const Tensor none = torch::zeros({batch, state}, memory.options());
        auto attending = std::make_tuple(none, none);
        auto decoding = std::make_tuple(none, none);
        Tensor context = torch::zeros({batch, width}, memory.options());
        Tensor last = torch::zeros({batch, letters}, memory.options());
        Tensor sum = last;
        const Tensor first = torch::zeros({batch, 1, mels}, memory.options());
        const Tensor given =
            before->forward(torch::cat({first, wanted.narrow(1, 0, frames - 1)}, 1));
        Tensors states;
        for (std::int64_t frame = 0; frame < frames; ++frame) {
            attending = attention_cell(torch::cat({given.select(1, frame), context}, 1), attending);
            const Tensor asking = drop(std::get<0>(attending));
            last = attention(asking, keys, torch::stack({last, sum}, 1));
            sum = sum + last;
            context = torch::bmm(last.unsqueeze(1), memory).squeeze(1);
            decoding = decoder_cell(torch::cat({asking, context}, 1), decoding);
            states.push_back(torch::cat({drop(std::get<0>(decoding)), context}, 1));
        }
        const Tensor all = torch::stack(states, 1);
        const Tensor rough = to_mels(all);
        const Tensor fine = rough + after->forward(rough.transpose(1, 2)).transpose(1, 2);
        return {rough, fine, to_ending(all).squeeze(2)};
    }

    Tensors answer(const Tensors& inputs) override {
        const Spoken spoken = forward(inputs[0], inputs[1]);
        return {spoken.mels, spoken.ending};
    }

    Tensor loss(const Tensors& inputs) override {
        const Spoken spoken = forward(inputs[0], inputs[1]);
        return torch::mse_loss(spoken.rough, inputs[1]) + torch::mse_loss(spoken.mels, inputs[1]) +
               torch::binary_cross_entropy_with_logits(spoken.ending, inputs[2]);
    }

    nn::Embedding embedding = register_module("embedding", nn::Embedding(symbols, width));
    nn::Sequential convs = register_module(
        "convs", conv_stack({width, width, width, width}, Activation::relu, Activation::relu));
    nn::LSTM encoder = register_module(
        "encoder",
        nn::LSTM(nn::LSTMOptions(width, width / 2).batch_first(true).bidirectional(true)));
    nn::Sequential before = register_module(
        "before",
        nn::Sequential(
            linear_without_bias(mels, 256),
            activation(Activation::relu),
            nn::Dropout(0.5),
            linear_without_bias(256, 256),
            activation(Activation::relu),
            nn::Dropout(0.5)));
    nn::LSTMCell attention_cell =
        register_module("attention_cell", nn::LSTMCell(256 + width, state));
    LocationAttention attention = register_module("attention", LocationAttention());
    nn::LSTMCell decoder_cell = register_module("decoder_cell", nn::LSTMCell(state + width, state));
    nn::Linear to_mels = register_module("to_mels", nn::Linear(state + width, mels));
    nn::Linear to_ending = register_module("to_ending", nn::Linear(state + width, 1));
    nn::Sequential after = register_module(
        "after",
        conv_stack({mels, width, width, width, width, mels}, Activation::tanh, Activation::none));
};

const Registered<Tacotron2> registered(
    {"tacotron2",
     "speech",
     "Tacotron 2, 64 letters to 64 frames",
     28'193'153,
     "NVIDIA's tacotron2, 28,193,153; Shen et al. 2017, section 2",
     1,
     2});

}  // namespace vigil_bench::zoo::tacotron2
