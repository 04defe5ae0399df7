#pragma once

#include "worker/bench/zoo/network.hpp"

namespace vigil_bench::zoo {

/// Lin et al. 2016, "Feature pyramid networks for object detection": maps of a trunk, the finest
/// first, as maps of equal depth, each with what the coarser ones know.
class PyramidImpl final : public nn::Module {
  public:
    static constexpr std::int64_t width = 256;

    /// @param depths  channels of the trunk's maps, the finest first
    explicit PyramidImpl(const std::vector<std::int64_t>& depths);

    Tensors forward(const Tensors& maps);

  private:
    nn::ModuleList inwards_;
    nn::ModuleList outwards_;
};
TORCH_MODULE(Pyramid);

}  // namespace vigil_bench::zoo
