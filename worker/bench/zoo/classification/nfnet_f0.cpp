#include <algorithm>
#include <cmath>

#include "worker/bench/zoo/blocks/image_classifier.hpp"

// Brock et al. 2021, "High-performance large-scale image recognition without normalization",
// NFNet-F0, as timm's dm_nfnet_f0 has it; pictures of 192 x 192.

namespace vigil_bench::zoo::nfnet_f0 {

constexpr double gelu_gain = 1.7015043497085571;  ///< keeps the variance behind a GELU
constexpr double alpha = 0.2;                     ///< of a branch
constexpr std::int64_t group_width = 128;
constexpr std::int64_t no_padding = 0;

Tensor gained(const Tensor& x) {
    return torch::gelu(x) * gelu_gain;
}

/// A convolution whose weights are standardised by output channel, padded as TensorFlow does.
struct ScaledConvImpl final : nn::Module {
    ScaledConvImpl(
        std::int64_t in,
        std::int64_t out,
        std::int64_t size,
        std::int64_t stride_ = 1,
        std::int64_t groups_ = 1)
        : stride(stride_), groups(groups_) {
        const double fan_in = static_cast<double>(in / groups * size * size);
        weight = register_parameter(
            "weight", torch::randn({out, in / groups, size, size}) / std::sqrt(fan_in));
        bias = register_parameter("bias", torch::zeros({out}));
        gain = register_parameter("gain", torch::ones({out, 1, 1, 1}));
    }

    Tensor forward(const Tensor& x) {
        const double fan_in = static_cast<double>(weight[0].numel());
        const Tensor centred = weight - weight.mean({1, 2, 3}, true);
        const Tensor variance = centred.square().mean({1, 2, 3}, true);
        const Tensor scaled = centred * (variance + 1e-5).rsqrt() * gain / std::sqrt(fan_in);
        const auto rows = missing(x.size(2));
        const auto columns = missing(x.size(3));
        const Tensor padded = torch::constant_pad_nd(
            x, {columns / 2, columns - columns / 2, rows / 2, rows - rows / 2});
        const at::IntArrayRef unpadded = no_padding;
        return torch::conv2d(padded, scaled, bias, stride, unpadded, 1, groups);
    }

    std::int64_t missing(std::int64_t points) const {
        const auto made = (points + stride - 1) / stride;
        return std::max<std::int64_t>(0, (made - 1) * stride + weight.size(2) - points);
    }

    std::int64_t stride;
    std::int64_t groups;
    Tensor weight;
    Tensor bias;
    Tensor gain;
};
TORCH_MODULE(ScaledConv);

struct NormFreeBlockImpl final : nn::Module {
    /// @param beta_  divides by the deviation that is expected of the input
    NormFreeBlockImpl(std::int64_t in, std::int64_t out, std::int64_t stride_, double beta_)
        : stride(stride_), beta(beta_) {
        const std::int64_t middle = out / 2;
        const std::int64_t groups = middle / group_width;
        if (in != out || stride > 1) {
            shortcut = register_module("shortcut", ScaledConv(in, out, 1));
        }
        convs->push_back(ScaledConv(in, middle, 1));
        convs->push_back(ScaledConv(middle, middle, 3, stride, groups));
        convs->push_back(ScaledConv(middle, middle, 3, 1, groups));
        convs->push_back(ScaledConv(middle, out, 1));
        register_module("convs", convs);
        down = register_module("down", conv_with_bias(out, out / 2, Kernel(1)));
        up = register_module("up", conv_with_bias(out / 2, out, Kernel(1)));
        // Published as zero, which leaves the branch without gradients: here as after some
        // training.
        skip_gain = register_parameter("skip_gain", torch::full({}, 0.1));
    }

    Tensor forward(const Tensor& x) {
        Tensor branch = gained(x) * beta;
        Tensor straight = x;
        if (shortcut) straight = shortcut(stride > 1 ? torch::avg_pool2d(branch, 2) : branch);
        for (std::size_t i = 0; i < convs->size(); ++i) {
            if (i > 0) branch = gained(branch);
            branch = convs[i]->as<ScaledConv>()->forward(branch);
        }
        const Tensor gate = up(down(branch.mean({2, 3}, true)).relu_()).sigmoid();
        return branch * gate * 2 * skip_gain * alpha + straight;
    }

    std::int64_t stride;
    double beta;
    ScaledConv shortcut = nullptr;
    nn::ModuleList convs;
    nn::Conv2d down = nullptr;
    nn::Conv2d up = nullptr;
    Tensor skip_gain;
};
TORCH_MODULE(NormFreeBlock);

struct NormFree final : ImageClassifier {
    NormFree() {
        std::int64_t in = 3;
        for (const std::int64_t out : {16, 32, 64, 128}) {
            stem->push_back(ScaledConv(in, out, 3, out == 16 || out == 128 ? 2 : 1));
            if (out != 128) stem->push_back(nn::Functional(gained));
            in = out;
        }
        const std::vector<std::pair<int, std::int64_t>> stages = {
            {1, 256}, {2, 512}, {6, 1536}, {3, 1536}};
        double variance = 1;
        for (std::size_t stage = 0; stage < stages.size(); ++stage) {
            const auto [count, out] = stages[stage];
            for (int i = 0; i < count; ++i) {
                const std::int64_t stride = i == 0 && stage > 0 ? 2 : 1;
                blocks->push_back(NormFreeBlock(in, out, stride, 1 / std::sqrt(variance)));
                if (i == 0) variance = 1;
                variance += alpha * alpha;
                in = out;
            }
        }
        last = register_module("last", ScaledConv(in, 2 * in, 1));
        head = register_module("head", nn::Linear(2 * in, classes));
        register_module("stem", stem);
        register_module("blocks", blocks);
    }

    Tensors make_inputs(std::int64_t batch) const override {
        return {torch::randn({batch, 3, 192, 192}), torch::randint(classes, {batch}, torch::kLong)};
    }

    Tensor forward(const Tensor& pictures) override {
        const Tensor x = blocks->forward(stem->forward(pictures));
        return head(mean_over_picture(gained(last(x))));
    }

    nn::Sequential stem;
    nn::Sequential blocks;
    ScaledConv last = nullptr;
    nn::Linear head = nullptr;
};

const Registered<NormFree> registered(
    {"nfnet_f0",
     "classification",
     "NFNet-F0, 192 x 192",
     71'489'284,
     "timm dm_nfnet_f0, 71.49 M; Brock et al. 2021, Table 1 (71.5 M)",
     1,
     1});

}  // namespace vigil_bench::zoo::nfnet_f0
