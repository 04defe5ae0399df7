#include "worker/bench/zoo/blocks/residual_net.hpp"

#include "worker/bench/zoo/blocks/image_classifier.hpp"

namespace vigil_bench::zoo {

namespace {

struct ResidualBlockImpl final : nn::Module {
    ResidualBlockImpl(
        const ResidualShape& shape,
        std::int64_t in,
        std::int64_t planes,
        std::int64_t stride,
        std::int64_t dilation) {
        constexpr auto relu = Activation::relu;
        constexpr auto none = Activation::none;
        const auto norm = shape.norm;
        const bool basic = shape.block == ResidualShape::Block::basic;
        const std::int64_t out = basic ? planes : planes * 4;
        if (basic) {
            branch->extend(*conv_norm(in, planes, Kernel(3, stride), relu, norm));
            branch->extend(*conv_norm(planes, out, Kernel(3), none, norm));
        } else {
            const auto width = planes * shape.width_per_group / 64 * shape.groups;
            const bool first = shape.stride_comes_first;
            const Kernel middle = Kernel(3, first ? 1 : stride, shape.groups).dilated(dilation);
            branch->extend(*conv_norm(in, width, Kernel(1, first ? stride : 1), relu, norm));
            branch->extend(*conv_norm(width, width, middle, relu, norm));
            branch->extend(*conv_norm(width, out, Kernel(1), none, norm));
        }
        register_module("branch", branch);
        if (stride == 1 && in == out) return;
        shortcut = register_module("shortcut", conv_norm(in, out, Kernel(1, stride), none, norm));
    }

    Tensor forward(const Tensor& x) {
        return (branch->forward(x) + (shortcut ? shortcut->forward(x) : x)).relu_();
    }

    nn::Sequential branch;
    nn::Sequential shortcut = nullptr;
};
TORCH_MODULE(ResidualBlock);

}  // namespace

void add_residual_block(
    nn::Sequential& layers,
    const ResidualShape& shape,
    std::int64_t in,
    std::int64_t planes,
    std::int64_t stride,
    std::int64_t dilation) {
    layers->push_back(ResidualBlock(shape, in, planes, stride, dilation));
}

ResidualTrunkImpl::ResidualTrunkImpl(const ResidualShape& shape) {
    stem_ = register_module(
        "stem", conv_norm(3, channels_, Kernel(7, 2), Activation::relu, shape.norm));
    stem_->push_back(max_pool(3, 2, 1));
    stages_ = register_module("stages", nn::Sequential());
    std::int64_t planes = 64;
    for (std::size_t stage = 0; stage < shape.counts.size(); ++stage) {
        const bool dilated = shape.dilates_last && stage == 3;
        for (std::int64_t i = 0; i < shape.counts[stage]; ++i) {
            const std::int64_t stride = stage > 0 && i == 0 && !dilated ? 2 : 1;
            add_residual_block(stages_, shape, channels_, planes, stride, dilated ? 2 : 1);
            channels_ = shape.block == ResidualShape::Block::basic ? planes : planes * 4;
        }
        ends_.push_back(stages_->size());
        planes *= 2;
    }
}

Tensors ResidualTrunkImpl::stages_of(const Tensor& pictures) {
    Tensors made;
    Tensor x = stem_->forward(pictures);
    std::size_t next = 0;
    for (const auto end : ends_) {
        for (; next < end; ++next) x = stages_[next]->as<ResidualBlock>()->forward(x);
        made.push_back(x);
    }
    return made;
}

void ResidualTrunkImpl::freeze_beginning() {
    const auto freeze = [](nn::Module& module) {
        for (auto& parameter : module.parameters()) parameter.requires_grad_(false);
    };
    freeze(*stem_);
    for (std::size_t i = 0; i < ends_[0]; ++i) freeze(*stages_[i]);
}

Tensor ResidualTrunkImpl::forward(const Tensor& pictures) {
    return stages_->forward(stem_->forward(pictures));
}

std::shared_ptr<Network> make_residual_classifier(const ResidualShape& shape) {
    const ResidualTrunk trunk(shape);
    return trunk_classifier(trunk, nn::Linear(trunk->channels(), ImageClassifier::classes));
}

}  // namespace vigil_bench::zoo
