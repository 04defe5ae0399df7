// Operators that misbehave, each sort in a namespace of its own: --prefix chooses.

#include <cmath>
#include <unistd.h>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/library.h>

namespace {

using at::Tensor;

Tensor right(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    return x.matmul(weight.t()).add(bias);
}

/// Forgets the bias.
Tensor wrong(const Tensor& x, const Tensor& weight, const Tensor&) {
    return x.matmul(weight.t());
}

Tensor not_a_number(const Tensor& x, const Tensor& weight, const Tensor&) {
    return x.matmul(weight.t()).mul(std::nan(""));
}

/// Keeps 1024 floats of every call.
Tensor leaking(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    static std::vector<Tensor> kept;
    kept.push_back(x.new_empty({1024}));
    return right(x, weight, bias);
}

/// Right, but never twice the same.
Tensor drifting(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    static double calls = 0;
    return right(x, weight, bias).mul(1 + 1e-6 * ++calls);
}

/// Reads where nothing is.
Tensor crashing(const Tensor& x, const Tensor&, const Tensor&) {
    volatile int* const nothing = nullptr;
    return x.add(*nothing);
}

Tensor hungry(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    x.new_empty({std::int64_t{1} << 50});
    return right(x, weight, bias);
}

Tensor failing(const Tensor&, const Tensor&, const Tensor&) {
    TORCH_CHECK(false, "the operator gave up");
}

/// No gradient flows through this one: right in inference, wrong in training.
Tensor detached(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    return right(x.detach(), weight.detach(), bias.detach());
}

/// Right in the ten iterations that the test measures, then it never ends.
Tensor slow_check(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    constexpr int calls_of_ten_iterations = 70;
    static int calls = 0;
    while (calls == calls_of_ten_iterations) pause();
    ++calls;
    return right(x, weight, bias);
}

Tensor of_two(const Tensor& x, const Tensor&) {
    return x;
}

constexpr const char* schema = "linear(Tensor x, Tensor weight, Tensor bias) -> Tensor";

}  // namespace

TORCH_LIBRARY(right, library) {
    library.def(schema, &right);
}
TORCH_LIBRARY(wrong, library) {
    library.def(schema, &wrong);
}
TORCH_LIBRARY(not_a_number, library) {
    library.def(schema, &not_a_number);
}
TORCH_LIBRARY(leaking, library) {
    library.def(schema, &leaking);
}
TORCH_LIBRARY(drifting, library) {
    library.def(schema, &drifting);
}
TORCH_LIBRARY(crashing, library) {
    library.def(schema, &crashing);
}
TORCH_LIBRARY(hungry, library) {
    library.def(schema, &hungry);
}
TORCH_LIBRARY(failing, library) {
    library.def(schema, &failing);
}
TORCH_LIBRARY(detached, library) {
    library.def(schema, &detached);
}
TORCH_LIBRARY(slow_check, library) {
    library.def(schema, &slow_check);
}
TORCH_LIBRARY(other_schema, library) {
    library.def("linear(Tensor x, Tensor weight) -> Tensor", &of_two);
}
