#include "worker/bench/measure/process_memory.hpp"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <malloc.h>
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

std::optional<ProcessMemory> process_memory() {
    std::ifstream status("/proc/self/status");
    ProcessMemory memory;
    bool has_resident = false;
    bool has_peak = false;
    for (std::string line; std::getline(status, line);) {
        const auto value_of = [&](const char* key, std::int64_t& bytes) {
            if (line.rfind(key, 0) != 0) return false;
            bytes = std::stoll(line.substr(std::string(key).size())) * 1024;
            return true;
        };
        has_resident = value_of("VmRSS:", memory.resident_bytes) || has_resident;
        has_peak = value_of("VmHWM:", memory.peak_bytes) || has_peak;
    }
    if (!has_resident || !has_peak) return std::nullopt;
    return memory;
}

std::int64_t resident_bytes() {
    static const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    std::array<char, 128> text{};
    if (pread(file, text.data(), text.size() - 1, 0) <= 0) return 0;
    char* end = nullptr;
    std::strtoll(text.data(), &end, 10);  // all that is mapped
    return std::strtoll(end, nullptr, 10) * sysconf(_SC_PAGESIZE);
}

std::int64_t allocated_bytes() {
#if defined(__GLIBC_PREREQ) && __GLIBC_PREREQ(2, 33)
    const auto all = mallinfo2();
    return static_cast<std::int64_t>(all.uordblks + all.hblkhd);
#else
    return 0;
#endif
}

bool reset_process_peak() {
    malloc_trim(0);
    std::ofstream out("/proc/self/clear_refs");
    out << "5" << std::flush;
    return out.good();
}

void keep_freed_memory() {
    constexpr int one_gibibyte = 1 << 30;
    mallopt(M_MMAP_THRESHOLD, one_gibibyte);
    mallopt(M_TRIM_THRESHOLD, one_gibibyte);
    mallopt(M_TOP_PAD, 1 << 20);
}

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
