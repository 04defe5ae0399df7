#include "service/config/bench_models.hpp"

namespace vigil::service {

const std::vector<BenchPreset>& bench_presets() {
    static const std::vector<BenchPreset> all{
        {"train-cpu", {"--mode", "train", "--device", "cpu"}},
        {"infer-cpu", {"--mode", "infer", "--device", "cpu"}},
        {"train-cuda", {"--mode", "train", "--device", "cuda"}},
        {"infer-cuda", {"--mode", "infer", "--device", "cuda"}}};
    return all;
}

}  // namespace vigil::service
