#include "worker/bench/zoo.hpp"

// A vigil-bench without the zoo; see CMakeLists.txt.

namespace vigil_bench {

std::vector<ZooModel> zoo_models() {
    return {};
}

bool has_zoo() {
    return false;
}

std::int64_t count_parameters(const std::string&) {
    return 0;
}

std::unique_ptr<Subject> make_zoo_subject(const Arguments&) {
    return nullptr;
}

}  // namespace vigil_bench
