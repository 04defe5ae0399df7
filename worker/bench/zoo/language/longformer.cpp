#include <limits>

#include "worker/bench/zoo/blocks/bert.hpp"
#include "worker/bench/zoo/blocks/language_model.hpp"

// Beltagy et al. 2020, "Longformer", base: every token attends to the 256 before it and the 256
// behind it. Each layer also owns three matrices for tokens that attend to all; without such
// tokens, as TorchBench runs it, nothing reads them.

namespace vigil_bench::zoo::longformer {

constexpr std::int64_t heads = 12;
constexpr std::int64_t width = 768;
constexpr std::int64_t reach = 256;

/// [b,n,heads*d] -> [b,heads,n/reach,reach,d]
Tensor chunks(const Tensor& x) {
    return x.view({x.size(0), -1, reach, heads, width / heads}).permute({0, 3, 1, 2, 4});
}

/// Of each chunk: the one before it, itself, the one behind it; the first's and the last's
/// neighbours are each other.
Tensor with_neighbours(const Tensor& x) {
    return torch::cat({x.roll(1, 2), x, x.roll(-1, 2)}, 3);
}

/// 0 where a token attends, minus infinity elsewhere, [n/reach,reach,3*reach].
Tensor band(std::int64_t chunk_count, const Tensor& like) {
    const auto numbers = torch::TensorOptions(torch::kLong).device(like.device());
    const Tensor within = torch::arange(3 * reach, numbers);
    const Tensor first = (torch::arange(chunk_count, numbers) - 1) * reach;
    const Tensor key = (first.unsqueeze(1) + within).unsqueeze(1);
    const Tensor query = (first + reach).unsqueeze(1) + torch::arange(reach, numbers);
    const Tensor far = (key - query.unsqueeze(2)).abs().gt(reach);
    const Tensor outside = key.lt(0).logical_or(key.ge(chunk_count * reach));
    return torch::zeros(far.sizes(), like.options())
        .masked_fill(far.logical_or(outside), -std::numeric_limits<double>::infinity());
}

Tensor attend_near(
    const Tensor& query, const Tensor& key, const Tensor& value, double scale, double dropout) {
    const Tensor keys = with_neighbours(chunks(key));
    const Tensor asking = chunks(query) * scale;
    const Tensor scores =
        torch::matmul(asking, keys.transpose(-1, -2)) + band(keys.size(2), query.detach());
    const Tensor weights = torch::dropout(scores.softmax(-1), dropout, dropout > 0);
    const Tensor mixed = torch::matmul(weights, with_neighbours(chunks(value)));
    return mixed.permute({0, 2, 3, 1, 4}).reshape(query.sizes());
}

BertShape shape_of() {
    BertShape shape;
    shape.vocabulary = 50265;
    shape.tokens = 4 * reach;
    shape.positions = 4098;
    shape.first_position = 2;
    shape.types = BertShape::Types::one;
    shape.head = BertShape::BertHead::masked_words;
    shape.epsilon = 1e-5;
    shape.mixer = &attend_near;
    return shape;
}

struct Longformer final : LanguageModel {
    Longformer() : LanguageModel(shape_of().vocabulary, shape_of().tokens) {}

    Tensor forward(const Tensor& ids) override { return encoder->scores(encoder(ids)); }

    BertEncoder encoder = register_module("encoder", BertEncoder(shape_of()));
    nn::ModuleList for_all =
        register_module("for_all", list_of(3 * 12, [](int) { return nn::Linear(width, width); }));
};

const Registered<Longformer> registered(
    {"longformer",
     "language",
     "Longformer base, 1024 tokens",
     148'711'257,
     "Transformers LongformerForMaskedLM, allenai/longformer-base-4096, as in TorchBench: "
     "from its sizes; Beltagy et al. 2020",
     1,
     1});

}  // namespace vigil_bench::zoo::longformer
