#include "worker/bench/zoo/blocks/bert.hpp"

// BERT base for Chinese, which points out the answer to a question in a text, as fastNLP's example
// on CMRC 2018 does: 15 tokens of the question, 456 of the text, 3 between them.

namespace vigil_bench::zoo::bert_reading {

constexpr std::int64_t tokens = 15 + 456 + 3;
constexpr std::int64_t vocabulary = 21128;

BertShape shape_of() {
    BertShape shape;
    shape.vocabulary = vocabulary;
    return shape;
}

struct Reading final : Network {
    /// Texts, and where their answers begin and end.
    Tensors make_inputs(std::int64_t batch) const override {
        return {
            torch::randint(vocabulary, {batch, tokens}, torch::kLong),
            torch::randint(tokens, {2, batch}, torch::kLong)};
    }

    /// Scores of every token as the first and as the last of the answer, [b,n] each.
    Tensors answer(const Tensors& inputs) override { return head(encoder(inputs[0])).unbind(2); }

    Tensor loss(const Tensors& inputs) override {
        const Tensors scores = answer(inputs);
        return (torch::cross_entropy_loss(scores[0], inputs[1][0]) +
                torch::cross_entropy_loss(scores[1], inputs[1][1])) /
               2;
    }

    BertEncoder encoder = register_module("encoder", BertEncoder(shape_of()));
    nn::Linear head = register_module("head", nn::Linear(shape_of().width, 2));
};

const Registered<Reading> registered(
    {"bert_reading",
     "language",
     "BERT base that answers, 474 tokens",
     102'269'186,
     "fastNLP's example on CMRC 2018, as in TorchBench: Transformers bert-base-chinese "
     "(102,267,648) and a head of 1,538",
     1,
     1});

}  // namespace vigil_bench::zoo::bert_reading
