#include "worker/bench/measure/processors.hpp"

#include <fstream>
#include <sched.h>

namespace vigil_bench {

namespace {

/// As /proc/cpuinfo has it; empty where it does not say.
std::string cpu_model() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(": ");
        if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "";
}

}  // namespace

int processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

std::string machine_words() {
    const std::string model = cpu_model();
    const int count = processors();
    return (model.empty() ? "unknown processor" : model) + ", " + std::to_string(count) +
           (count == 1 ? " processor" : " processors");
}

}  // namespace vigil_bench
