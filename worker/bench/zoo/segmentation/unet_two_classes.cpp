#include "worker/bench/zoo/blocks/u_net.hpp"
#include "worker/bench/zoo/sizes.hpp"

namespace vigil_bench::zoo::unet_two_classes {

std::shared_ptr<Network> make() {
    return make_u_net(2);
}

const Registered<Network> registered(
    {"unet_two_classes",
     "segmentation",
     "U-Net of two classes, 192 x 256",
     17'263'042,
     "milesial's Pytorch-UNet, bilinear, two classes; Ronneberger et al. 2015, "
     "Figure 1",
     1,
     1},
    &make);

const Sized sized({"unet_two_classes", "192 x 256", "572 x 572"});

}  // namespace vigil_bench::zoo::unet_two_classes
