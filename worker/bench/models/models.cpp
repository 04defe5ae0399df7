#include "worker/bench/models/models.hpp"

#include <cmath>
#include <utility>

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

#include "worker/bench/models/model_list.hpp"

namespace vigil_bench {

namespace {

/// Adds a weight of this shape, scaled so that values keep their size from layer to layer.
std::size_t add_weight(LearningProblem& problem, const std::vector<std::int64_t>& sizes) {
    std::int64_t fan_in = 1;
    for (std::size_t i = 1; i < sizes.size(); ++i) fan_in *= sizes[i];
    problem.parameters.push_back(
        at::randn(sizes).mul_(1.0 / std::sqrt(static_cast<double>(fan_in))));
    return problem.parameters.size() - 1;
}

std::size_t add_vector(LearningProblem& problem, std::int64_t size, double around) {
    problem.parameters.push_back(at::randn({size}).mul_(0.1).add_(around));
    return problem.parameters.size() - 1;
}

/// A perceptron of residual blocks: x + linear(gelu(x W1' + b1)), after a first linear layer.
LearningProblem make_mlp(std::int64_t batch) {
    constexpr std::int64_t features = 512;
    constexpr std::int64_t hidden = 256;
    constexpr int blocks = 6;
    LearningProblem problem;
    std::vector<std::size_t> first;
    for (int i = 0; i < blocks; ++i) {
        first.push_back(add_weight(problem, {hidden, features}));
        add_vector(problem, hidden, 0);
        add_weight(problem, {features, hidden});
        add_vector(problem, features, 0);
    }
    const auto head = add_weight(problem, {home_made_classes, features});
    const auto head_bias = add_vector(problem, home_made_classes, 0);
    problem.input = at::randn({batch, features});
    auto parameters = problem.parameters;
    problem.forward = [=](const Operators& ops, const Tensor& input) {
        Tensor x = input;
        for (const auto at : first) {
            const Tensor hidden_x =
                ops.bias_gelu(at::linear(x, parameters[at]), parameters[at + 1]);
            x = x + ops.linear(hidden_x, parameters[at + 2], parameters[at + 3]);
        }
        return ops.linear(x, parameters[head], parameters[head_bias]);
    };
    return problem;
}

/// Three convolutions with pooling after each, then a linear layer. The channels grow fourfold as
/// the picture shrinks, so that every layer needs a workspace of the same size.
LearningProblem make_convnet(std::int64_t batch) {
    constexpr std::int64_t side = 64;
    const std::vector<std::int64_t> channels = {4, 16, 64, 96};
    LearningProblem problem;
    const std::size_t layers = channels.size() - 1;
    for (std::size_t i = 0; i < layers; ++i) {
        add_weight(problem, {channels[i + 1], channels[i], 3, 3});
        add_vector(problem, channels[i + 1], 0);
    }
    const std::int64_t last_side = side >> layers;
    const auto head =
        add_weight(problem, {home_made_classes, channels.back() * last_side * last_side});
    const auto head_bias = add_vector(problem, home_made_classes, 0);
    problem.input = at::randn({batch, channels[0], side, side});
    auto parameters = problem.parameters;
    problem.forward = [=](const Operators& ops, const Tensor& input) {
        Tensor x = input;
        for (std::size_t i = 0; i < layers; ++i) {
            x = at::relu(ops.conv2d(x, parameters[2 * i], parameters[2 * i + 1]));
            x = ops.max_pool(x);
        }
        return at::linear(x.flatten(1), parameters[head], parameters[head_bias]);
    };
    return problem;
}

/// Blocks of self-attention with keys of low rank and norms before and after; a token is a vector
/// of `width` numbers.
LearningProblem make_attention(std::int64_t batch) {
    constexpr std::int64_t tokens = 64;
    constexpr std::int64_t width = 128;
    constexpr std::int64_t rank = 24;
    constexpr int blocks = 2;
    LearningProblem problem;
    std::vector<std::size_t> first;
    for (int i = 0; i < blocks; ++i) {
        first.push_back(add_weight(problem, {rank, width}));
        add_weight(problem, {rank, width});
        add_weight(problem, {width, width});
        add_weight(problem, {width, width});
        for (int j = 0; j < 3; ++j) {
            add_vector(problem, width, 1);
            add_vector(problem, width, 0);
        }
    }
    const auto norm = add_vector(problem, width, 1);
    add_vector(problem, width, 0);
    const auto head = add_weight(problem, {home_made_classes, width});
    const auto head_bias = add_vector(problem, home_made_classes, 0);
    problem.input = at::randn({batch, tokens, width});
    auto parameters = problem.parameters;
    problem.forward = [=](const Operators& ops, const Tensor& input) {
        Tensor x = input;
        for (const auto at : first) {
            const auto weight = [&](std::size_t i) { return parameters[at + i]; };
            const Tensor normal = ops.layer_norm(x, weight(4), weight(5));
            const Tensor query = at::linear(normal, weight(0));
            const Tensor key = at::linear(normal, weight(1));
            const Tensor value =
                ops.layer_norm(at::linear(normal, weight(2)), weight(6), weight(7));
            const double scale = 1.0 / std::sqrt(static_cast<double>(rank));
            const Tensor weights = at::softmax(ops.scores(query, key) * scale, -1);
            const Tensor mixed = at::linear(at::bmm(weights, value), weight(3));
            x = x + ops.layer_norm(mixed, weight(8), weight(9));
        }
        x = ops.layer_norm(x, parameters[norm], parameters[norm + 1]);
        return at::linear(x.mean({1}), parameters[head], parameters[head_bias]);
    };
    return problem;
}

}  // namespace

const std::vector<ModelEntry>& models() {
    static const std::vector<ModelEntry> all = {
        {"mlp", "residual perceptron: linear, bias_gelu; train: sgd_step", 128, 16, 0, &make_mlp},
        {"convnet", "convolutions and pooling: conv2d, max_pool", 24, 24, 50, &make_convnet},
        {"attention", "self-attention: layer_norm, scores", 16, 8, 0, &make_attention},
    };
    return all;
}

const ModelEntry* find_model(const std::string& name) {
    for (const auto& model : models()) {
        if (model.name == name) return &model;
    }
    return nullptr;
}

bool is_home_made(const std::string& model) {
    return find_model(model) != nullptr;
}

LearningProblem make_problem(const ModelEntry& model, std::int64_t batch, std::uint64_t seed) {
    at::manual_seed(seed);
    LearningProblem problem = model.make(batch);
    problem.target = at::randint(home_made_classes, {batch}, at::kLong);
    return problem;
}

void fill_queue(const ModelEntry& model, LearningProblem& problem) {
    for (int i = 0; i < model.queued_batches; ++i) problem.queue.push_back(problem.input.clone());
}

std::vector<ZooModel> home_made_models() {
    constexpr std::uint64_t any_seed = 1;
    std::vector<ZooModel> all;
    for (const auto& model : models()) {
        std::int64_t count = 0;
        for (const auto& parameter : make_problem(model, 1, any_seed).parameters) {
            count += parameter.numel();
        }
        all.push_back(
            {model.name,
             home_made_domain,
             model.description,
             count,
             "",
             model.infer_batch,
             model.train_batch});
    }
    return all;
}

}  // namespace vigil_bench
