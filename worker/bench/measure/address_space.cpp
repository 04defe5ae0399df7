#include "worker/bench/measure/address_space.hpp"

#include <cstdint>
#include <fstream>
#include <unistd.h>

#include <sys/resource.h>

namespace vigil_bench {

namespace {

constexpr std::int64_t mebibyte = 1 << 20;
constexpr std::int64_t least_left = 256 * mebibyte;

/// RLIM_INFINITY is as large as it gets.
rlim_t limit() {
    rlimit found{};
    return getrlimit(RLIMIT_AS, &found) == 0 ? found.rlim_cur : RLIM_INFINITY;
}

std::int64_t used_bytes() {
    std::int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * sysconf(_SC_PAGESIZE);
}

}  // namespace

bool has_limited_address_space() {
    return limit() != RLIM_INFINITY;
}

std::string find_too_little_memory() {
    if (!has_limited_address_space()) return "";
    const auto left = static_cast<std::int64_t>(limit()) - used_bytes();
    if (left >= least_left) return "";
    return "too little memory: with LibTorch loaded, " + std::to_string(left / mebibyte) +
           " MiB of address space are left, at least " + std::to_string(least_left / mebibyte) +
           " are needed (ulimit -v)";
}

}  // namespace vigil_bench
