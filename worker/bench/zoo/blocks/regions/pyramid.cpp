#include "worker/bench/zoo/blocks/regions/pyramid.hpp"

#include "worker/bench/zoo/blocks/layers.hpp"

namespace vigil_bench::zoo {

PyramidImpl::PyramidImpl(const std::vector<std::int64_t>& depths) {
    for (const auto depth : depths) {
        inwards_->push_back(conv_with_bias(depth, width, Kernel(1)));
        outwards_->push_back(conv_with_bias(width, width, Kernel(3)));
    }
    register_module("inwards", inwards_);
    register_module("outwards", outwards_);
}

Tensors PyramidImpl::forward(const Tensors& maps) {
    Tensors made(maps.size());
    Tensor above;
    for (std::size_t i = maps.size(); i-- > 0;) {
        Tensor now = inwards_[i]->as<nn::Conv2d>()->forward(maps[i]);
        if (above.defined()) {
            now = now + torch::upsample_nearest2d(above, {now.size(2), now.size(3)});
        }
        made[i] = outwards_[i]->as<nn::Conv2d>()->forward(now);
        above = now;
    }
    return made;
}

}  // namespace vigil_bench::zoo
