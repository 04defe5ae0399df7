#include <cstdio>

#include <ATen/ATen.h>
#include <tensorlab/operators.hpp>

namespace {

int failures = 0;

void check(bool good, const char* what) {
    if (good) return;
    std::printf("failed: %s\n", what);
    ++failures;
}

}  // namespace

int main() {
    const auto x = at::randn({8, 16});
    const auto weight = at::randn({4, 16});
    const auto bias = at::randn({4});
    check(
        tensorlab::linear(x, weight, bias).allclose(at::linear(x, weight, bias), 1e-4, 1e-5),
        "linear");
    return failures == 0 ? 0 : 1;
}
