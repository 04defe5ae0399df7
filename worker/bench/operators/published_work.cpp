#include "worker/bench/operators/published_work.hpp"

#include <map>

namespace vigil_bench {

std::optional<double> published_multiply_adds(const std::string& model) {
    // torchvision 0.15 and later, "_ops" of each model's weights.
    static const std::map<std::string, double> all{
        {"alexnet", 0.714},
        {"convnext_tiny", 4.456},
        {"densenet121", 2.834},
        {"efficientnet_b0", 0.386},
        {"mnasnet1_0", 0.314},
        {"mobilenet_v2", 0.301},
        {"mobilenet_v3_large", 0.217},
        {"resnet152", 11.514},
        {"resnet18", 1.814},
        {"resnet50", 4.089},
        {"resnext50_32x4d", 4.23},
        {"shufflenet_v2_x1_0", 0.145},
        {"squeezenet1_1", 0.349},
        {"swin_t", 4.491},
        {"vgg16", 15.47},
        {"vit_b_16", 17.564}};
    const auto found = all.find(model);
    if (found == all.end()) return std::nullopt;
    return found->second;
}

}  // namespace vigil_bench
