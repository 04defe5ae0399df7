#include "worker/bench/zoo/blocks/layers.hpp"

// Naumov et al. 2019, "Deep learning recommendation model", in the sizes of the benchmark run in
// the README of its official implementation: 8 tables of a million rows, 100 look-ups in each.

namespace vigil_bench::zoo::dlrm {

constexpr std::int64_t table_count = 8;
constexpr std::int64_t rows = 1'000'000;
constexpr std::int64_t width = 64;
constexpr std::int64_t lookups = 100;

struct Dlrm final : Network {
    Dlrm() {
        constexpr std::int64_t drawn = 1000;  // drawing all of 512 million takes 10 s
        for (std::int64_t i = 0; i < table_count; ++i) {
            const Tensor some = torch::empty({drawn, width}).uniform_(-1e-3, 1e-3);
            tables.push_back(
                register_parameter("table" + std::to_string(i), some.repeat({rows / drawn, 1})));
        }
        bottom = register_module("bottom", perceptron({512, 512, width}));
        constexpr std::int64_t vectors = table_count + 1;
        constexpr std::int64_t pairs = vectors * (vectors - 1) / 2;
        top = register_module("top", perceptron({width + pairs, 1024, 1024, 1024, 1}));
    }

    /// Dense features, looked-up rows of each table, clicked or not.
    Tensors make_inputs(std::int64_t batch) const override {
        return {
            torch::rand({batch, 512}),
            torch::randint(rows, {table_count, batch, lookups}, torch::kLong),
            torch::randint(2, {batch, 1}, torch::kFloat)};
    }

    Tensor forward(const Tensors& inputs) {
        const Tensor dense = bottom->forward(inputs[0]);
        const Tensor offsets =
            torch::arange(0, inputs[0].size(0) * lookups, lookups, inputs[1].options());
        Tensors vectors = {dense};
        for (std::int64_t i = 0; i < table_count; ++i) {
            const auto sums = torch::embedding_bag(
                tables[static_cast<std::size_t>(i)],
                inputs[1][i].flatten(),
                offsets,
                /*scale_grad_by_freq=*/false,
                /*mode=*/0,
                /*sparse=*/true);
            vectors.push_back(std::get<0>(sums));
        }
        const Tensor all = torch::stack(vectors, 1);
        const Tensor products = torch::bmm(all, all.transpose(1, 2));
        const Tensor below = torch::tril_indices(all.size(1), all.size(1), -1);
        const Tensor pairs = products.index({torch::indexing::Slice(), below[0], below[1]});
        return top->forward(torch::cat({dense, pairs}, 1));
    }

    Tensors answer(const Tensors& inputs) override { return {forward(inputs).sigmoid()}; }

    Tensor loss(const Tensors& inputs) override {
        return torch::binary_cross_entropy_with_logits(forward(inputs), inputs[2]);
    }

    Tensors tables;
    nn::Sequential bottom = nullptr;
    nn::Sequential top = nullptr;
};

const Registered<Dlrm> registered(
    {"dlrm",
     "recommendation",
     "DLRM, 8 tables of a million rows",
     514'499'137,
     "official DLRM, README, the benchmark with 8 tables of 1,000,000 x 64: from its sizes",
     64,
     64});

}  // namespace vigil_bench::zoo::dlrm
