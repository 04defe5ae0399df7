// A library of operators with faults of a known size, each from a variable of the environment.
//
// VIGIL_PLANT_NS: busy waits so many nanoseconds of CPU time in each iteration of the model mlp.
//
// VIGIL_PLANT_LEAK: keeps so many bytes in each iteration.
//
// VIGIL_PLANT_BLOAT: holds so many bytes from the first call on.

#include <cstdlib>
#include <string>
#include <time.h>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <torch/library.h>

namespace {

using at::Tensor;

constexpr int calls_per_iteration = 7;  // of linear, in mlp

double planted(const char* name) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::strtod(text, nullptr) : 0;
}

double cpu_ns() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

Tensor bytes(double count) {
    return at::empty({static_cast<std::int64_t>(count)}, at::kByte);
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    static const double wait_ns = planted("VIGIL_PLANT_NS") / calls_per_iteration;
    static const double leak = planted("VIGIL_PLANT_LEAK");
    static const double bloat = planted("VIGIL_PLANT_BLOAT");
    static std::vector<Tensor> kept;
    static int calls = 0;
    if (bloat > 0 && kept.empty()) kept.push_back(bytes(bloat));
    if (leak > 0 && ++calls % calls_per_iteration == 0) kept.push_back(bytes(leak));
    Tensor result = at::linear(x, weight, bias);
    if (wait_ns > 0) {
        const double end_ns = cpu_ns() + wait_ns;
        while (cpu_ns() < end_ns) {
        }
    }
    return result;
}

}  // namespace

TORCH_LIBRARY(planted, library) {
    library.def("linear(Tensor x, Tensor weight, Tensor bias) -> Tensor", &linear);
}
