#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/integration/torch/loops.hpp"
#include "worker/bench/zoo/blocks/llama.hpp"
#include "worker/bench/zoo/blocks/per_sample.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"

// What spares work, against the same without sparing any.

namespace vigil_bench::zoo::longformer {
Tensor attend_near(const Tensor&, const Tensor&, const Tensor&, double, double);
}  // namespace vigil_bench::zoo::longformer

namespace vigil_bench::zoo::bigbird {
std::vector<std::int64_t> choose_blocks(std::int64_t count);
Tensor attend_sparsely(const Tensor&, const Tensor&, const Tensor&, double, double);
}  // namespace vigil_bench::zoo::bigbird

namespace vigil_bench::zoo::loops {

namespace {

constexpr std::int64_t tokens = 1024;

using Sees = bool (*)(std::int64_t query, std::int64_t key);

/// Attention to few, as everybody's to everybody with scores of minus infinity.
template <auto attend_to_few, Sees sees>
struct Sparse final : Network {
    Tensors make_inputs(std::int64_t batch) const override {
        const auto vectors = [&] { return torch::randn({batch, tokens, 768}); };
        return {vectors(), vectors(), vectors()};
    }

    Tensors answer(const Tensors& inputs) override {
        constexpr double scale = 0.125;
        const Tensor query = inputs[0].to(torch::kDouble);
        const Tensor key = inputs[1].to(torch::kDouble);
        const Tensor value = inputs[2].to(torch::kDouble);
        const Tensor bias =
            filled({1, tokens, tokens}, [](std::int64_t, std::int64_t i, std::int64_t j) {
                return sees(i, j) ? 0 : -std::numeric_limits<double>::infinity();
            });
        const Tensor found = attend_to_few(query, key, value, scale, 0.0);
        compare({found}, {attend(query, key, value, 12, scale, bias)[0]});
        return {found};
    }

    Tensor loss(const Tensors& inputs) override { return answer(inputs)[0].sum(); }
};

bool is_near(std::int64_t query, std::int64_t key) {
    return std::abs(query - key) <= 256;
}

bool is_nearer(std::int64_t query, std::int64_t key) {
    return std::abs(query - key) < 256;
}

bool is_chosen(std::int64_t query, std::int64_t key) {
    static const auto chosen = bigbird::choose_blocks(tokens / 64);
    const std::int64_t last = tokens / 64 - 1;
    const std::int64_t own = query / 64;
    if (own == 0 || own == last) return true;
    const auto first = chosen.begin() + (own - 1) * 8;
    return std::find(first, first + 8, key / 64) != first + 8;
}

bool is_never_random(std::int64_t query, std::int64_t key) {
    const std::int64_t last = tokens / 64 - 1;
    const auto is_edge = [&](std::int64_t place) { return place / 64 == 0 || place / 64 == last; };
    return is_edge(query) || is_edge(key) || std::abs(query / 64 - key / 64) <= 1;
}

using Near = Sparse<&longformer::attend_near, &is_near>;
using NearOff = Sparse<&longformer::attend_near, &is_nearer>;
using Chosen = Sparse<&bigbird::attend_sparsely, &is_chosen>;
using ChosenOff = Sparse<&bigbird::attend_sparsely, &is_never_random>;
const RegisteredLoops<Near> near_one("loops_longformer", 1);
const RegisteredLoops<NearOff> near_off("loops_longformer_off", 1);
const RegisteredLoops<Chosen> chosen_one("loops_bigbird", 1);
const RegisteredLoops<ChosenOff> chosen_off("loops_bigbird_off", 1);

/// One token after a prompt whose keys and values are kept, against the whole text read at once.
template <std::int64_t later>
struct Decode final : Network {
    static constexpr std::int64_t prompt = 9;

    Decode() {
        const LlamaShape shape{64, 32, 4, 2, 8, 48, 2, 1e4, 4};
        read = make_llama(shape, LlamaStage::prefill, prompt);
        go_on = make_llama(shape, LlamaStage::decode, prompt + later);
        for (const auto& network : {read, go_on}) network->to(torch::kDouble);
        const torch::NoGradGuard no_grad;
        auto others = go_on->parameters();
        for (std::size_t i = 0; i < others.size(); ++i) others[i].copy_(read->parameters()[i]);
    }

    static Tensor cache(std::int64_t batch, std::int64_t count) {
        return torch::zeros({2, 2, batch, 2, count, 8}, torch::kDouble);
    }

    Tensors make_inputs(std::int64_t batch) const override {
        return {torch::randint(64, {batch, prompt + 1}, torch::kLong)};
    }

    Tensors answer(const Tensors& inputs) override {
        const torch::NoGradGuard no_grad;
        const std::int64_t batch = inputs[0].size(0);
        const Tensor kept = cache(batch, prompt);
        read->answer({inputs[0].narrow(1, 0, prompt), kept});
        const Tensor longer = torch::cat({kept, cache(batch, 1)}, 4);
        const auto found = go_on->answer({inputs[0].narrow(1, prompt, 1), longer});
        const auto whole = read->answer({inputs[0], cache(batch, prompt + 1)});
        compare(found, {whole[0][0]});
        return found;
    }

    Tensor loss(const Tensors& inputs) override { return answer(inputs)[0].sum(); }

    std::shared_ptr<Network> read;
    std::shared_ptr<Network> go_on;
};
const RegisteredLoops<Decode<0>> decode_one("loops_decode", 1);
const RegisteredLoops<Decode<1>> decode_off("loops_decode_off", 1);

/// Gradients limited row by row, against each row alone.
template <bool limited>
struct Rows final : Network {
    Rows() { network->to(torch::kDouble); }

    Tensors make_inputs(std::int64_t batch) const override { return network->make_inputs(batch); }

    Tensor flat(const Tensor& value) const {
        Tensors parts;
        for (const auto& part : torch::autograd::grad({value}, network->parameters())) {
            parts.push_back(part.flatten());
        }
        return torch::cat(parts);
    }

    Tensors answer(const Tensors& inputs) override {
        const torch::AutoGradMode with_grad(true);
        const Tensor pictures = inputs[0].to(torch::kDouble);
        const Tensor found = flat(network->loss({pictures, inputs[1]})).unsqueeze(0);
        Tensor sum = torch::zeros_like(found[0]);
        const std::int64_t rows = pictures.size(0);
        for (std::int64_t row = 0; row < rows; ++row) {
            const auto scores = network->answer({pictures.narrow(0, row, 1)});
            const Tensor own =
                flat(torch::cross_entropy_loss(scores[0], inputs[1].narrow(0, row, 1)));
            const double norm = own.norm().item<double>();
            sum += own * (limited ? std::min(1.0, 1 / (norm + 1e-6)) : 1.0) / rows;
        }
        compare({found}, {sum});
        return {found};
    }

    Tensor loss(const Tensors& inputs) override { return answer(inputs)[0].sum(); }

    std::shared_ptr<Network> network = make_private_resnet(10);
};
const RegisteredLoops<Rows<true>> rows_one("loops_rows", 3);
const RegisteredLoops<Rows<false>> rows_off("loops_rows_off", 3);

}  // namespace

}  // namespace vigil_bench::zoo::loops
