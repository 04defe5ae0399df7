#include "worker/bench/zoo/blocks/yolo.hpp"

#include "worker/bench/zoo/blocks/layers.hpp"

namespace vigil_bench::zoo {

namespace yolo {

constexpr std::int64_t side = 416;
constexpr std::int64_t boxes = 3;    ///< in each cell of each scale
constexpr std::int64_t values = 85;  ///< of a box: x, y, width, height, objectness, 80 classes
constexpr std::int64_t box_values = 4;

nn::Sequential leaky_conv(std::int64_t in, std::int64_t out, const Kernel& kernel) {
    return conv_norm(in, out, kernel, Activation::leaky_relu);
}

Skip shortcut(std::int64_t channels) {
    nn::Sequential branch;
    branch->extend(*leaky_conv(channels, channels / 2, Kernel(1)));
    branch->extend(*leaky_conv(channels / 2, channels, Kernel(3)));
    return Skip(branch);
}

/// The input and its maxima over three sizes of windows, [b,c,h,w] -> [b,4c,h,w].
struct PyramidPoolImpl final : nn::Module {
    Tensor forward(const Tensor& x) {
        Tensors all = {x};
        for (const int size : {5, 9, 13}) {
            all.push_back(torch::max_pool2d(x, {size, size}, {1, 1}, {size / 2, size / 2}));
        }
        return torch::cat(all, 1);
    }
};
TORCH_MODULE(PyramidPool);

/// Detects at one scale, and hands on what the next finer one wants.
struct HeadImpl final : nn::Module {
    HeadImpl(std::int64_t in, std::int64_t channels, bool pools) {
        for (int i = 0; i < 2; ++i) {
            before->extend(*leaky_conv(i == 0 ? in : 2 * channels, channels, Kernel(1)));
            if (i == 1 && pools) {
                before->push_back(PyramidPool());
                before->extend(*leaky_conv(4 * channels, channels, Kernel(1)));
            }
            before->extend(*leaky_conv(channels, 2 * channels, Kernel(3)));
        }
        before->extend(*leaky_conv(2 * channels, channels, Kernel(1)));
        detect->extend(*leaky_conv(channels, 2 * channels, Kernel(3)));
        detect->push_back(conv_with_bias(2 * channels, boxes * values, Kernel(1)));
        register_module("before", before);
        register_module("detect", detect);
    }

    nn::Sequential before;
    nn::Sequential detect;
};
TORCH_MODULE(Head);

struct YoloV3 final : Network {
    explicit YoloV3(bool pools) {
        const std::vector<int> counts = {1, 2, 8, 8, 4};
        std::int64_t channels = 32;
        for (const int count : counts) {
            nn::Sequential stage;
            if (count == 1) stage->extend(*leaky_conv(3, channels, Kernel(3)));
            stage->extend(*leaky_conv(channels, 2 * channels, Kernel(3, 2)));
            channels *= 2;
            for (int i = 0; i < count; ++i) stage->push_back(shortcut(channels));
            stages->push_back(stage);
        }
        register_module("stages", stages);
        std::int64_t in = channels;
        for (std::int64_t width = channels / 2; width >= 128; width /= 2) {
            heads->push_back(Head(in, width, pools && heads->is_empty()));
            if (width > 128) upwards->push_back(leaky_conv(width, width / 2, Kernel(1)));
            in = width / 2 + width;
        }
        register_module("heads", heads);
        register_module("upwards", upwards);
    }

    /// Pictures, then for each scale where objects are ([b,3,h,w,1]) and what ([b,3,h,w,84]).
    Tensors make_inputs(std::int64_t batch) const override {
        Tensors inputs = {torch::rand({batch, 3, side, side})};
        for (std::int64_t cells = side / 32; cells <= side / 8; cells *= 2) {
            inputs.push_back(
                (torch::rand({batch, boxes, cells, cells, 1}) < 0.01).to(torch::kFloat));
            inputs.push_back(torch::rand({batch, boxes, cells, cells, values - 1}));
        }
        return inputs;
    }

    /// For each scale, coarse to fine, [b,3,h,w,85].
    Tensors answer(const Tensors& inputs) override {
        Tensors seen;
        Tensor x = inputs[0];
        for (const auto& stage : *stages) {
            x = stage->as<nn::Sequential>()->forward(x);
            seen.push_back(x);
        }
        Tensors found;
        for (std::size_t i = 0; i < heads->size(); ++i) {
            auto* head = heads[i]->as<Head>();
            x = head->before->forward(x);
            const Tensor maps = head->detect->forward(x);
            found.push_back(maps.view({maps.size(0), boxes, values, maps.size(2), maps.size(3)})
                                .permute({0, 1, 3, 4, 2}));
            if (i == upwards->size()) break;
            const Tensor small = upwards[i]->as<nn::Sequential>()->forward(x);
            const Tensor finer = seen[seen.size() - 2 - i];
            const Tensor large = torch::upsample_nearest2d(small, {finer.size(2), finer.size(3)});
            x = torch::cat({large, finer}, 1);
        }
        return found;
    }

    Tensor loss(const Tensors& inputs) override {
        const Tensors found = answer(inputs);
        Tensor sum = torch::zeros({}, inputs[0].options());
        for (std::size_t i = 0; i < found.size(); ++i) {
            const Tensor& there = inputs[1 + 2 * i];
            const Tensor& what = inputs[2 + 2 * i];
            const auto parts = found[i].split_with_sizes({box_values, 1, values - 5}, 4);
            const auto wanted = what.split_with_sizes({box_values, values - 5}, 4);
            const Tensor place = (parts[0] - wanted[0]).square() * there;
            const Tensor kind = torch::binary_cross_entropy_with_logits(
                parts[2], wanted[1].round(), {}, {}, at::Reduction::None);
            sum = sum + place.mean() + (kind * there).mean() +
                  torch::binary_cross_entropy_with_logits(parts[1], there);
        }
        return sum;
    }

    nn::ModuleList stages;
    nn::ModuleList heads;
    nn::ModuleList upwards;
};

}  // namespace yolo

std::shared_ptr<Network> make_yolo(bool pools) {
    return std::make_shared<yolo::YoloV3>(pools);
}

}  // namespace vigil_bench::zoo
