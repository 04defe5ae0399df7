#pragma once

#include "worker/bench/zoo/network.hpp"

namespace vigil_bench::zoo {

/// Ronneberger et al. 2015, "U-Net", as the PyTorch implementation in TorchBench has it: batch
/// norms, bilinear upsampling.
/// @param classes  1: object or not, by a sigmoid
std::shared_ptr<Network> make_u_net(std::int64_t classes);

}  // namespace vigil_bench::zoo
