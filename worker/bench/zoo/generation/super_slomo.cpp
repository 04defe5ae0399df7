#include "worker/bench/zoo/blocks/layers.hpp"

// Jiang et al. 2018, "Super SloMo: high quality estimation of multiple intermediate frames for
// video interpolation": the flow between two frames, then the frame at a moment between them.

namespace vigil_bench::zoo::super_slomo {

constexpr std::int64_t side = 352;
constexpr std::int64_t moments = 7;  ///< eighths between the frames

nn::Sequential leaky_conv(std::int64_t in, std::int64_t out, std::int64_t size) {
    return nn::Sequential(
        conv_with_bias(in, out, Kernel(size)), activation(Activation::leaky_relu));
}

/// An hourglass with skips, [b,in,h,w] -> [b,out,h,w].
struct HourglassImpl final : nn::Module {
    HourglassImpl(std::int64_t in, std::int64_t out) {
        const std::vector<std::int64_t> widths = {32, 64, 128, 256, 512, 512};
        down->push_back(two(in, widths[0], 7));
        for (std::size_t i = 1; i < widths.size(); ++i) {
            down->push_back(two(widths[i - 1], widths[i], i == 1 ? 5 : 3));
        }
        for (std::size_t i = widths.size() - 1; i > 0; --i) {
            up->push_back(leaky_conv(widths[i], widths[i - 1], 3));
            merge->push_back(leaky_conv(2 * widths[i - 1], widths[i - 1], 3));
        }
        register_module("down", down);
        register_module("up", up);
        register_module("merge", merge);
        head = register_module("head", leaky_conv(widths[0], out, 3));
    }

    static nn::Sequential two(std::int64_t in, std::int64_t out, std::int64_t size) {
        nn::Sequential layers;
        layers->extend(*leaky_conv(in, out, size));
        layers->extend(*leaky_conv(out, out, size));
        return layers;
    }

    Tensor forward(Tensor x) {
        Tensors skipped;
        for (const auto& stage : *down) {
            if (!skipped.empty()) x = torch::avg_pool2d(x, 2);
            x = stage->as<nn::Sequential>()->forward(x);
            skipped.push_back(x);
        }
        for (std::size_t i = 0; i < up->size(); ++i) {
            const Tensor& skip = skipped[skipped.size() - 2 - i];
            x = torch::upsample_bilinear2d(x, {skip.size(2), skip.size(3)}, false);
            x = up[i]->as<nn::Sequential>()->forward(x);
            x = merge[i]->as<nn::Sequential>()->forward(torch::cat({x, skip}, 1));
        }
        return head->forward(x);
    }

    nn::ModuleList down;
    nn::ModuleList up;
    nn::ModuleList merge;
    nn::Sequential head = nullptr;
};
TORCH_MODULE(Hourglass);

/// VGG-16 up to its tenth convolution; nothing trains it.
nn::Sequential judge() {
    nn::Sequential layers(conv_with_bias(3, 64, Kernel(3)));
    std::int64_t in = 64;
    for (const std::int64_t width : {64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512}) {
        if (width == 0) {
            layers->push_back(activation(Activation::relu));
            layers->push_back(max_pool(2, 2));
            continue;
        }
        if (in == width) layers->push_back(activation(Activation::relu));
        layers->push_back(conv_with_bias(in, width, Kernel(3)));
        in = width;
    }
    for (auto& parameter : layers->parameters()) parameter.requires_grad_(false);
    return layers;
}

/// A picture as it is after it has moved back along a flow in points, [b,2,h,w].
Tensor warp_back(const Tensor& picture, const Tensor& flow) {
    const Tensor points = torch::arange(side, flow.options());
    const Tensor x = points.view({1, 1, side}) + flow.select(1, 0);
    const Tensor y = points.view({1, side, 1}) + flow.select(1, 1);
    const double scale = 2.0 / static_cast<double>(side);
    const Tensor places = torch::stack({x * scale - 1, y * scale - 1}, 3);
    constexpr int bilinear = 0;
    constexpr int zeros = 0;
    return torch::grid_sampler(picture, places, bilinear, zeros, false);
}

Tensor unevenness(const Tensor& flow) {
    const Tensor across = flow.slice(3, 1) - flow.slice(3, 0, side - 1);
    const Tensor along = flow.slice(2, 1) - flow.slice(2, 0, side - 1);
    return across.abs().mean() + along.abs().mean();
}

struct SuperSloMo final : Network {
    struct Between {
        Tensor frame;
        Tensor there, back;                ///< flows from the first frame to the second, and back
        Tensor first_moved, second_moved;  ///< the frames, by flows of the first estimate
    };

    /// First and last frame, which eighth between them, and the frame there.
    Tensors make_inputs(std::int64_t batch) const override {
        const std::vector<std::int64_t> sizes = {batch, 3, side, side};
        return {
            torch::rand(sizes),
            torch::rand(sizes),
            torch::randint(1, moments + 1, {batch}, torch::kLong),
            torch::rand(sizes)};
    }

    Between interpolate(const Tensors& inputs) {
        const Tensor& first = inputs[0];
        const Tensor& second = inputs[1];
        const Tensor t = (inputs[2].to(first.scalar_type()) / (moments + 1)).view({-1, 1, 1, 1});
        Between between;
        const auto flows = estimate->forward(torch::cat({first, second}, 1)).chunk(2, 1);
        between.there = flows[0];
        between.back = flows[1];
        const Tensor to_first = t * (t - 1) * flows[0] + t * t * flows[1];
        const Tensor to_second = (1 - t) * (1 - t) * flows[0] + t * (t - 1) * flows[1];
        between.first_moved = warp_back(first, to_first);
        between.second_moved = warp_back(second, to_second);
        const auto refined = refine
                                 ->forward(torch::cat(
                                     {first,
                                      second,
                                      flows[0],
                                      flows[1],
                                      to_second,
                                      to_first,
                                      between.second_moved,
                                      between.first_moved},
                                     1))
                                 .split_with_sizes({2, 2, 1}, 1);
        const Tensor of_first = (1 - t) * torch::sigmoid(refined[2]);
        const Tensor of_second = t * (1 - torch::sigmoid(refined[2]));
        between.frame = (of_first * warp_back(first, to_first + refined[0]) +
                         of_second * warp_back(second, to_second + refined[1])) /
                        (of_first + of_second);
        return between;
    }

    Tensors answer(const Tensors& inputs) override { return {interpolate(inputs).frame}; }

    /// Equation 7, with the weights of the public implementation for values from 0 to 1.
    Tensor loss(const Tensors& inputs) override {
        const Between made = interpolate(inputs);
        const Tensor& wanted = inputs[3];
        const Tensor warped = torch::l1_loss(made.first_moved, wanted) +
                              torch::l1_loss(made.second_moved, wanted) +
                              torch::l1_loss(warp_back(inputs[0], made.back), inputs[1]) +
                              torch::l1_loss(warp_back(inputs[1], made.there), inputs[0]);
        const Tensor seen = torch::mse_loss(vgg->forward(made.frame), vgg->forward(wanted));
        return 204 * torch::l1_loss(made.frame, wanted) + 102 * warped + 0.005 * seen +
               unevenness(made.there) + unevenness(made.back);
    }

    Hourglass estimate = register_module("estimate", Hourglass(6, 4));
    Hourglass refine = register_module("refine", Hourglass(20, 5));
    nn::Sequential vgg = register_module("vgg", judge());
};

const Registered<SuperSloMo> registered(
    {"super_slomo",
     "generation",
     "Super SloMo, 352 x 352, with VGG-16's first layers as a judge",
     47'245'737,
     "TorchBench's Super_SloMo: 39,610,473 of the two networks, 7,635,264 of VGG-16; Jiang et al. "
     "2018, section 3.3",
     1,
     1});

}  // namespace vigil_bench::zoo::super_slomo
