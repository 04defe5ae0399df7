#include "worker/bench/zoo/blocks/per_sample.hpp"

#include <utility>

#include "worker/bench/zoo/blocks/layers.hpp"

namespace vigil_bench::zoo {

Tensor Taps::keep(Tap tap) {
    taps_.push_back(std::move(tap));
    return taps_.back().output;
}

Tensor Taps::operator()(nn::Conv2d& layer, const Tensor& x) {
    const auto of_weight = [options = layer->options, input = x.detach()](const Tensor& slope) {
        using std::get;  // LibTorch 2 has std::variant here, LibTorch 1 its own
        const Tensor patches = torch::im2col(
            input,
            *options.kernel_size(),
            *options.dilation(),
            at::IntArrayRef(*get<0>(options.padding())),
            *options.stride());
        return torch::bmm(slope.flatten(2), patches.transpose(1, 2));
    };
    const auto of_bias = [](const Tensor& slope) { return slope.flatten(2).sum(2); };
    return keep({layer(x), layer->weight, layer->bias, of_weight, of_bias});
}

Tensor Taps::operator()(nn::Linear& layer, const Tensor& x) {
    const auto of_weight = [input = x.detach()](const Tensor& slope) {
        return torch::bmm(slope.unsqueeze(2), input.unsqueeze(1));
    };
    const auto of_bias = [](const Tensor& slope) { return slope; };
    return keep({layer(x), layer->weight, layer->bias, of_weight, of_bias});
}

Tensor Taps::operator()(nn::GroupNorm& layer, const Tensor& x) {
    const auto of_weight = [groups = layer->options.num_groups(),
                            input = x.detach()](const Tensor& slope) {
        return (slope * torch::group_norm(input, groups)).flatten(2).sum(2);
    };
    const auto of_bias = [](const Tensor& slope) { return slope.flatten(2).sum(2); };
    return keep({layer(x), layer->weight, layer->bias, of_weight, of_bias});
}

std::vector<RowGradients> Taps::gradients(const Tensor& loss_of_rows, bool keeps_graph) const {
    Tensors outputs;
    for (const auto& tap : taps_) outputs.push_back(tap.output);
    const auto slopes = torch::autograd::grad({loss_of_rows.sum()}, outputs, {}, keeps_graph);
    std::vector<RowGradients> all;
    for (std::size_t i = 0; i < taps_.size(); ++i) {
        all.push_back({taps_[i].weight, taps_[i].of_weight(slopes[i])});
        if (taps_[i].bias.defined()) all.push_back({taps_[i].bias, taps_[i].of_bias(slopes[i])});
    }
    return all;
}

Tensor limits_of(const std::vector<RowGradients>& gradients) {
    Tensor squares;
    for (const auto& gradient : gradients) {
        const Tensor square = gradient.of_rows.flatten(1).square().sum(1);
        squares = squares.defined() ? squares + square : square;
    }
    return (1 / (squares.sqrt() + 1e-6)).clamp_max(1).detach();
}

Tensor private_loss(const Taps& taps, const Tensor& loss_of_rows) {
    const auto gradients = taps.gradients(loss_of_rows, false);
    const Tensor limits = limits_of(gradients) / loss_of_rows.size(0);
    Tensor slope;  // of which the limited gradients are the gradients
    for (const auto& [weight, of_rows] : gradients) {
        const Tensor limited =
            torch::mv(of_rows.flatten(1).t().to(limits.dtype()), limits).view_as(weight);
        const Tensor part = (weight * limited).sum();
        slope = slope.defined() ? slope + part : part;
    }
    return loss_of_rows.mean().detach() + (slope - slope.detach());
}

namespace {

/// A layer's output, seen by the taps where there are some.
template <typename Layer>
Tensor pass(Layer& layer, const Tensor& x, Taps* taps) {
    return taps != nullptr ? (*taps)(layer, x) : layer(x);
}

struct ConvGroupNormImpl final : nn::Module {
    ConvGroupNormImpl(std::int64_t in, std::int64_t out, const Kernel& kernel)
        : convolve(register_module("convolve", conv(in, out, kernel))),
          norm(register_module("norm", nn::GroupNorm(32, out))) {}

    Tensor forward(const Tensor& x, Taps* taps) {
        return pass(norm, pass(convolve, x, taps), taps);
    }

    nn::Conv2d convolve;
    nn::GroupNorm norm;
};
TORCH_MODULE(ConvGroupNorm);

struct PrivateBlockImpl final : nn::Module {
    PrivateBlockImpl(std::int64_t in, std::int64_t out, std::int64_t stride)
        : first(register_module("first", ConvGroupNorm(in, out, Kernel(3, stride)))),
          second(register_module("second", ConvGroupNorm(out, out, Kernel(3)))) {
        if (in == out) return;
        shortcut = register_module("shortcut", ConvGroupNorm(in, out, Kernel(1, stride)));
    }

    Tensor forward(const Tensor& x, Taps* taps) {
        const Tensor branch = second(first(x, taps).relu(), taps);
        return (branch + (shortcut ? shortcut(x, taps) : x)).relu();
    }

    ConvGroupNorm first;
    ConvGroupNorm second;
    ConvGroupNorm shortcut = nullptr;
};
TORCH_MODULE(PrivateBlock);

struct PrivateResNet final : Network {
    explicit PrivateResNet(std::int64_t classes) {
        std::int64_t in = 64;
        for (const std::int64_t out : {64, 128, 256, 512}) {
            blocks->push_back(PrivateBlock(in, out, in == out ? 1 : 2));
            blocks->push_back(PrivateBlock(out, out, 1));
            in = out;
        }
        register_module("blocks", blocks);
        head = register_module("head", nn::Linear(in, classes));
    }

    Tensors make_inputs(std::int64_t batch) const override {
        return {torch::randn({batch, 3, 32, 32}), torch::randint(10, {batch}, torch::kLong)};
    }

    Tensor forward(const Tensor& pictures, Taps* taps) {
        Tensor x = torch::max_pool2d(stem(pictures, taps).relu(), 3, 2, 1);
        for (const auto& block : *blocks) x = block->as<PrivateBlock>()->forward(x, taps);
        return pass(head, mean_over_picture(x), taps);
    }

    Tensors answer(const Tensors& inputs) override { return {forward(inputs[0], nullptr)}; }

    Tensor loss(const Tensors& inputs) override {
        Taps taps;
        const Tensor scores = forward(inputs[0], &taps);
        return private_loss(
            taps, torch::cross_entropy_loss(scores, inputs[1], {}, at::Reduction::None));
    }

    ConvGroupNorm stem = register_module("stem", ConvGroupNorm(3, 64, Kernel(7, 2)));
    nn::ModuleList blocks;
    nn::Linear head = nullptr;
};

}  // namespace

std::shared_ptr<Network> make_private_resnet(std::int64_t classes) {
    return std::make_shared<PrivateResNet>(classes);
}

}  // namespace vigil_bench::zoo
