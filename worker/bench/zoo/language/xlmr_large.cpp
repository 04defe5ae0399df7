#include "worker/bench/zoo/blocks/bert.hpp"
#include "worker/bench/zoo/blocks/language_model.hpp"

// Conneau et al. 2020, "Unsupervised cross-lingual representation learning at scale", XLM-R large,
// as FAMBench runs it: the features of 64 tokens, trained as if they were the scores of classes.

namespace vigil_bench::zoo::xlmr_large {

BertShape shape_of() {
    BertShape shape;
    shape.vocabulary = 250002;
    shape.width = shape.embedding = 1024;
    shape.layer_count = 24;
    shape.heads = 16;
    shape.types = BertShape::Types::none;
    shape.head = BertShape::BertHead::plain;
    shape.tokens = 64;
    shape.positions = 514;
    shape.first_position = 2;
    shape.epsilon = 1e-5;
    return shape;
}

struct XlmR final : LanguageModel {
    XlmR() : LanguageModel(shape_of().vocabulary, shape_of().tokens, shape_of().width) {}

    Tensor forward(const Tensor& ids) override { return encoder(ids); }

    BertEncoder encoder = register_module("encoder", BertEncoder(shape_of()));
};

const Registered<XlmR> registered(
    {"xlmr_large",
     "language",
     "XLM-R large, features of 64 tokens",
     558'839'808,
     "fairseq xlmr.large (560 M), as FAMBench runs it, without the head that it does not use; "
     "Conneau et al. 2020",
     1,
     1});

}  // namespace vigil_bench::zoo::xlmr_large
