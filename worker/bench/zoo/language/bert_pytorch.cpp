#include "worker/bench/zoo/blocks/language_model.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"

// Devlin et al. 2018, "BERT", as codertimo's BERT-pytorch in TorchBench has it: norms before the
// branches and by the deviation, sines for places, padding that nobody attends to, two heads of
// their own, and 20,006 words. Of 128 tokens the first are words, the rest is padding.

namespace vigil_bench::zoo::bert_pytorch {

constexpr std::int64_t vocabulary = 20006;
constexpr std::int64_t width = 768;
constexpr std::int64_t tokens = 128;
constexpr std::int64_t spoken = 8;
constexpr double dropout = 0.1;

/// By the deviation of a sample, to which epsilon is added.
struct DeviationNormImpl final : nn::Module {
    Tensor forward(const Tensor& x) {
        constexpr bool unbiased = true;
        constexpr bool keeps = true;
        const Tensor off = x - x.mean({-1}, keeps);
        return scale * off / (x.std(-1, unbiased, keeps) + 1e-6) + shift;
    }

    Tensor scale = register_parameter("scale", torch::ones({width}));
    Tensor shift = register_parameter("shift", torch::zeros({width}));
};
TORCH_MODULE(DeviationNorm);

struct LayerImpl final : nn::Module {
    Tensor forward(const Tensor& x, const Tensor& bias) {
        const auto drop = [&](const Tensor& branch) {
            return torch::dropout(branch, dropout, is_training());
        };
        const Tensor y = x + drop(attention(attention_norm(x), bias));
        return drop(y + feed->forward(feed_norm(y)));
    }

    Attention attention = register_module("attention", Attention(LayerShape(width, 12)));
    DeviationNorm attention_norm = register_module("attention_norm", DeviationNorm());
    nn::Sequential feed = register_module("feed", feed_forward(LayerShape(width, 12)));
    DeviationNorm feed_norm = register_module("feed_norm", DeviationNorm());
};
TORCH_MODULE(Layer);

struct Bert final : Network {
    /// Words, the sentence of each (1, 2, or 0 for padding), the words hidden, whether the second
    /// sentence follows the first.
    Tensors make_inputs(std::int64_t batch) const override {
        const Tensor is_word = torch::arange(tokens).lt(spoken);
        const auto words_of = [&] {
            return torch::randint(5, vocabulary, {batch, tokens}, torch::kLong) * is_word;
        };
        const Tensor sentence = (1 + torch::arange(tokens).ge(spoken / 2)) * is_word;
        return {
            words_of(),
            sentence.expand({batch, tokens}).contiguous(),
            words_of(),
            torch::randint(2, {batch}, torch::kLong)};
    }

    /// Logarithms of the probabilities of the next sentence and of every word.
    Tensors answer(const Tensors& inputs) override {
        const Tensor& ids = inputs[0];
        Tensor x = words(ids);
        const Tensor hidden = torch::zeros_like(ids, x.options()).masked_fill(ids.eq(0), -1e4);
        const Tensor bias = hidden.detach().unsqueeze(1).unsqueeze(1);
        x = x + sine_positions(tokens, width, x.detach()) + sentences(inputs[1]);
        x = torch::dropout(x, dropout, is_training());
        for (const auto& layer : *layers) x = layer->as<Layer>()->forward(x, bias);
        return {follows(x.select(1, 0)).log_softmax(-1), scores(x).log_softmax(-1)};
    }

    Tensor loss(const Tensors& inputs) override {
        const Tensors found = answer(inputs);
        return torch::nll_loss(found[0], inputs[3]) +
               torch::nll_loss(
                   found[1].flatten(0, 1), inputs[2].flatten(), {}, at::Reduction::Mean, 0);
    }

    nn::Embedding words = register_module("words", token_embedding(vocabulary, width));
    nn::Embedding sentences = register_module("sentences", token_embedding(3, width));
    nn::ModuleList layers = register_module("layers", list_of(12, [](int) { return Layer(); }));
    nn::Linear follows = register_module("follows", nn::Linear(width, 2));
    nn::Linear scores = register_module("scores", nn::Linear(width, vocabulary));
};

const Registered<Bert> registered(
    {"bert_pytorch",
     "language",
     "BERT base of BERT-pytorch, 128 tokens",
     115'807'528,
     "codertimo's BERT-pytorch, as in TorchBench, 20,006 words: from its sizes",
     1,
     2});

}  // namespace vigil_bench::zoo::bert_pytorch
