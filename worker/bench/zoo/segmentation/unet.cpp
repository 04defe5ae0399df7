#include "worker/bench/zoo/blocks/u_net.hpp"
#include "worker/bench/zoo/sizes.hpp"

namespace vigil_bench::zoo::unet {

std::shared_ptr<Network> make() {
    return make_u_net(1);
}

const Registered<Network> registered(
    {"unet",
     "segmentation",
     "U-Net, 192 x 256",
     17'262'977,
     "milesial's Pytorch-UNet, as in TorchBench, bilinear, one class; Ronneberger et al. 2015, "
     "Figure 1",
     1,
     1},
    &make);

const Sized sized({"unet", "192 x 256", "572 x 572"});

}  // namespace vigil_bench::zoo::unet
