#include "worker/bench/zoo/blocks/layers.hpp"

#include <algorithm>

namespace vigil_bench::zoo {

nn::Functional activation(Activation kind) {
    switch (kind) {
        case Activation::none: break;
        case Activation::relu: return nn::Functional([](Tensor x) { return x.relu_(); });
        case Activation::relu6: return nn::Functional([](Tensor x) { return torch::relu6_(x); });
        case Activation::leaky_relu:
            return nn::Functional([](Tensor x) { return torch::leaky_relu_(x, 0.1); });
        case Activation::hardswish:
            return nn::Functional([](Tensor x) { return torch::hardswish_(x); });
        case Activation::silu: return nn::Functional([](Tensor x) { return torch::silu_(x); });
        case Activation::gelu: return nn::Functional([](Tensor x) { return torch::gelu(x); });
        case Activation::quick_gelu:
            return nn::Functional([](Tensor x) { return x * torch::sigmoid(1.702 * x); });
        case Activation::tanh: return nn::Functional([](Tensor x) { return x.tanh(); });
        case Activation::sigmoid: return nn::Functional([](Tensor x) { return x.sigmoid(); });
    }
    return nn::Functional([](Tensor x) { return x; });
}

namespace {

nn::Conv2dOptions options_of(std::int64_t in, std::int64_t out, const Kernel& kernel) {
    return nn::Conv2dOptions(in, out, kernel.size)
        .stride(kernel.stride)
        .padding(kernel.padding())
        .groups(kernel.groups)
        .dilation(kernel.dilation);
}

struct FrozenNormImpl final : nn::Module {
    explicit FrozenNormImpl(std::int64_t channels) {
        scale = register_buffer("scale", torch::ones({channels, 1, 1}));
        shift = register_buffer("shift", torch::zeros({channels, 1, 1}));
        mean = register_buffer("mean", torch::zeros({channels, 1, 1}));
        variance = register_buffer("variance", torch::full({channels, 1, 1}, 2.0));
    }

    Tensor forward(const Tensor& x) {
        const Tensor factor = scale * (variance + 1e-5).rsqrt();
        return x * factor + (shift - mean * factor);
    }

    Tensor scale;
    Tensor shift;
    Tensor mean;
    Tensor variance;
};
TORCH_MODULE(FrozenNorm);

}  // namespace

nn::Conv2d conv(std::int64_t in, std::int64_t out, const Kernel& kernel) {
    return nn::Conv2d(options_of(in, out, kernel).bias(false));
}

nn::Conv2d conv_with_bias(std::int64_t in, std::int64_t out, const Kernel& kernel) {
    return nn::Conv2d(options_of(in, out, kernel));
}

nn::Sequential conv_norm(
    std::int64_t in, std::int64_t out, const Kernel& kernel, Activation kind, Norm norm) {
    nn::Sequential layers(conv(in, out, kernel));
    if (norm == Norm::batch) layers->push_back(nn::BatchNorm2d(out));
    if (norm == Norm::frozen) layers->push_back(FrozenNorm(out));
    if (norm == Norm::groups) layers->push_back(nn::GroupNorm(nn::GroupNormOptions(32, out)));
    if (kind != Activation::none) layers->push_back(activation(kind));
    return layers;
}

nn::MaxPool2d max_pool(std::int64_t size, std::int64_t stride, std::int64_t padding) {
    return nn::MaxPool2d(nn::MaxPool2dOptions(size).stride(stride).padding(padding));
}

nn::Sequential perceptron(const std::vector<std::int64_t>& widths, Activation kind) {
    nn::Sequential layers;
    for (std::size_t i = 1; i < widths.size(); ++i) {
        layers->push_back(nn::Linear(widths[i - 1], widths[i]));
        if (i + 1 < widths.size()) layers->push_back(activation(kind));
    }
    return layers;
}

Tensor mean_over_picture(const Tensor& x) {
    return torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1);
}

Tensor stochastic_depth(const Tensor& branch, double drop_probability, bool training) {
    if (!training || drop_probability == 0) return branch;
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(branch.dim()), 1);
    sizes[0] = branch.size(0);
    const double kept = 1 - drop_probability;
    return branch * torch::empty(sizes, branch.options()).bernoulli_(kept).div_(kept);
}

std::int64_t round_channels(double channels) {
    const auto eighths = static_cast<std::int64_t>(channels + 4) / 8;
    const auto rounded = std::max<std::int64_t>(8, eighths * 8);
    return static_cast<double>(rounded) < 0.9 * channels ? rounded + 8 : rounded;
}

RmsNormImpl::RmsNormImpl(std::int64_t width, double epsilon) : epsilon_(epsilon) {
    scale_ = register_parameter("scale", torch::ones({width}));
}

Tensor RmsNormImpl::forward(const Tensor& x) {
    return x * torch::rsqrt(x.square().mean({-1}, true) + epsilon_) * scale_;
}

ChannelNormImpl::ChannelNormImpl(std::int64_t channels) {
    norm_ = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({channels}).eps(1e-6)));
}

Tensor ChannelNormImpl::forward(const Tensor& x) {
    return norm_(x.permute({0, 2, 3, 1})).permute({0, 3, 1, 2});
}

}  // namespace vigil_bench::zoo
