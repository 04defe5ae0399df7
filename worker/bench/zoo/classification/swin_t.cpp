#include "worker/bench/zoo/blocks/image_classifier.hpp"
#include "worker/bench/zoo/blocks/swin.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"

// Liu et al. 2021, Swin-T.

namespace vigil_bench::zoo::swin_t {

struct Swin final : ImageClassifier {
    Tensor forward(const Tensor& pictures) override {
        return head(norm(trunk->stages_of(pictures).back()).mean({1, 2}));
    }

    SwinTrunk trunk = register_module("trunk", SwinTrunk(SwinShape()));
    nn::LayerNorm norm = register_module("norm", layer_norm(trunk->widths().back()));
    nn::Linear head = register_module("head", nn::Linear(trunk->widths().back(), classes));
};

const Registered<Swin> registered(
    {"swin_t",
     "classification",
     "Swin-T, 224 x 224",
     28'288'354,
     "torchvision swin_t; Liu et al. 2021, Table 1 (29 M)",
     1,
     2});

}  // namespace vigil_bench::zoo::swin_t
