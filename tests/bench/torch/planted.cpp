// A library of operators with faults of a known size, each from a variable of the environment.
//
// VIGIL_PLANT_NS: busy waits so many nanoseconds of CPU time in each iteration of the model mlp.
//
// VIGIL_PLANT_LEAK: keeps so many bytes in each iteration.
//
// VIGIL_PLANT_MALLOC, VIGIL_PLANT_MAPPED: keeps so many bytes that no tensor holds in each
// iteration, of malloc or of the kernel.
//
// VIGIL_PLANT_BLOAT: holds so many bytes from the first call on.
//
// VIGIL_PLANT_FALLBACK: computes so many of the seven products of an iteration in float64, as where
// a kernel is missing.
//
// VIGIL_PLANT_TOLD: a file that gets the CPU time in nanoseconds from the begin of an iteration's
// first product to the end of its last one: a fault makes what lies between slower too.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <string>
#include <time.h>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <sys/mman.h>
#include <torch/library.h>

namespace {

using at::Tensor;

constexpr int calls_per_iteration = 7;  // of linear, in mlp

double planted(const char* name) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::strtod(text, nullptr) : 0;
}

/// Says how long iterations took, from the first product to the end of the last, when the process
/// ends: the mean without the tenth at each end, as quality.py sums up what is measured of them.
class Told {
  public:
    ~Told() {
        const char* const file = std::getenv("VIGIL_PLANT_TOLD");
        if (file == nullptr || iterations_.empty()) return;
        std::sort(iterations_.begin(), iterations_.end());
        const auto cut = static_cast<std::ptrdiff_t>(iterations_.size() / 10);
        const auto from = iterations_.begin() + cut;
        const auto until = iterations_.end() - cut;
        std::ofstream(file) << std::accumulate(from, until, 0.0) /
                                   static_cast<double>(until - from);
    }
    void add(double start_ns, double end_ns) {
        if (calls_ % calls_per_iteration == 0) first_ns_ = start_ns;
        if (++calls_ % calls_per_iteration == 0) iterations_.push_back(end_ns - first_ns_);
    }

  private:
    std::vector<double> iterations_;
    double first_ns_ = 0;
    int calls_ = 0;
};

double cpu_ns() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

Tensor bytes(double count) {
    return at::empty({static_cast<std::int64_t>(count)}, at::kByte);
}

Tensor in_float64(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    const auto wide = [](const Tensor& one) { return one.to(at::kDouble); };
    return at::linear(wide(x), wide(weight), wide(bias)).to(x.scalar_type());
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    static const double wait_ns = planted("VIGIL_PLANT_NS") / calls_per_iteration;
    static const double leak = planted("VIGIL_PLANT_LEAK");
    static const auto kept_by_malloc = static_cast<std::size_t>(planted("VIGIL_PLANT_MALLOC"));
    static const auto mapped = static_cast<std::size_t>(planted("VIGIL_PLANT_MAPPED"));
    static const double bloat = planted("VIGIL_PLANT_BLOAT");
    static const double falls_back = planted("VIGIL_PLANT_FALLBACK");
    static Told told;
    static std::vector<Tensor> kept;
    static int calls = 0;
    if (bloat > 0 && kept.empty()) kept.push_back(bytes(bloat));
    const bool is_last_call = ++calls % calls_per_iteration == 0;
    if (leak > 0 && is_last_call) kept.push_back(bytes(leak));
    if (kept_by_malloc > 0 && is_last_call) {
        static std::vector<void*> blocks;
        blocks.push_back(std::memset(std::malloc(kept_by_malloc), 1, kept_by_malloc));
    }
    if (mapped > 0 && is_last_call) {
        constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
        mmap(nullptr, mapped, PROT_READ | PROT_WRITE, kind, -1, 0);
    }
    const double start_ns = cpu_ns();
    const bool is_missing = calls % calls_per_iteration < falls_back;
    Tensor result = is_missing ? in_float64(x, weight, bias) : at::linear(x, weight, bias);
    if (wait_ns > 0) {
        const double end_ns = cpu_ns() + wait_ns;
        while (cpu_ns() < end_ns) {
        }
    }
    told.add(start_ns, cpu_ns());
    return result;
}

}  // namespace

TORCH_LIBRARY(planted, library) {
    library.def("linear(Tensor x, Tensor weight, Tensor bias) -> Tensor", &linear);
}
