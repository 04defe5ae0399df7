#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "worker/bench/zoo/blocks/bert.hpp"

// Zaheer et al. 2020, "Big Bird", base: of blocks of 64 tokens, the first and the last attend to
// all; every other one to those two, to its neighbours and to three at random, the same in every
// layer.

namespace vigil_bench::zoo::bigbird {

constexpr std::int64_t heads = 12;
constexpr std::int64_t block = 64;
constexpr std::int64_t seen = 8;  ///< blocks that a block attends to
constexpr std::int64_t nobody = -1;

/// Of each inner block those that it attends to, [blocks-2,8]; nobody where it is itself at the
/// edge.
std::vector<std::int64_t> choose_blocks(std::int64_t count) {
    std::mt19937 random(1);
    std::vector<std::int64_t> all;
    for (std::int64_t own = 1; own + 1 < count; ++own) {
        std::vector<std::int64_t> chosen = {0, own, count - 1};
        chosen.push_back(own > 1 ? own - 1 : nobody);
        chosen.push_back(own + 2 < count ? own + 1 : nobody);
        while (static_cast<std::int64_t>(chosen.size()) < seen) {
            const auto other = static_cast<std::int64_t>(random() % static_cast<unsigned>(count));
            if (std::count(chosen.begin(), chosen.end(), other) == 0) chosen.push_back(other);
        }
        all.insert(all.end(), chosen.begin(), chosen.end());
    }
    return all;
}

/// [b,n,heads*d] -> [b,heads,n,d]
Tensor split(const Tensor& x) {
    return x.view({x.size(0), x.size(1), heads, -1}).transpose(1, 2);
}

Tensor attend_sparsely(
    const Tensor& query, const Tensor& key, const Tensor& value, double scale, double dropout) {
    const auto weigh = [&](const Tensor& scores) {
        return torch::dropout(scores.softmax(-1), dropout, dropout > 0);
    };
    const Tensor asking = split(query) * scale;
    const Tensor keys = split(key);
    const Tensor values = split(value);
    const std::int64_t tokens = query.size(1);
    const std::int64_t count = tokens / block;

    const Tensor edges =
        torch::cat({asking.narrow(2, 0, block), asking.narrow(2, tokens - block, block)}, 2);
    const Tensor of_edges =
        torch::matmul(weigh(torch::matmul(edges, keys.transpose(2, 3))), values);

    const Tensor table = torch::tensor(choose_blocks(count)).to(query.device());
    const auto gathered = [&](const Tensor& x) {
        const Tensor blocks = x.reshape({x.size(0), heads, count, block, -1});
        return blocks.index_select(2, table.clamp_min(0))
            .view({x.size(0), heads, count - 2, seen * block, -1});
    };
    const Tensor bias =
        torch::zeros({count - 2, seen}, query.options().requires_grad(false))
            .masked_fill(table.view({-1, seen}).lt(0), -std::numeric_limits<double>::infinity())
            .repeat_interleave(block, 1)
            .unsqueeze(1);
    const Tensor inner = asking.narrow(2, block, tokens - 2 * block)
                             .reshape({query.size(0), heads, count - 2, block, -1});
    const Tensor scores = torch::matmul(inner, gathered(keys).transpose(-1, -2)) + bias;
    const Tensor of_inner = torch::matmul(weigh(scores), gathered(values)).flatten(2, 3);
    return torch::cat({of_edges.narrow(2, 0, block), of_inner, of_edges.narrow(2, block, block)}, 2)
        .transpose(1, 2)
        .flatten(2);
}

std::shared_ptr<Network> make() {
    BertShape shape;
    shape.vocabulary = 50358;
    shape.tokens = 1024;
    shape.positions = 4096;
    shape.mixer = &attend_sparsely;
    return make_masked_bert(shape);
}

const Registered<Network> registered(
    {"bigbird",
     "language",
     "Big Bird base, 1024 tokens",
     127'520'694,
     "Transformers BigBirdForMaskedLM of the default BigBirdConfig, as in TorchBench, without "
     "its unused pooler: from its sizes; Zaheer et al. 2020",
     1,
     1},
    &make);

}  // namespace vigil_bench::zoo::bigbird
