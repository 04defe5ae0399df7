#include "worker/bench/models/input_size.hpp"
#include "worker/bench/models/loaded_model.hpp"
#include "worker/bench/models/zoo.hpp"

// A vigil-bench without the zoo; see CMakeLists.txt.

namespace vigil_bench {

std::vector<ZooModel> zoo_models() {
    return {};
}

std::vector<SizedModel> sized_models() {
    return {};
}

void take_published_size(bool) {}

std::int64_t count_parameters(const std::string&) {
    return 0;
}

std::unique_ptr<LoadedModel> make_zoo_model(const std::string&) {
    return nullptr;
}

}  // namespace vigil_bench
