#include "worker/bench/measure/process_memory.hpp"

#include <fstream>
#include <malloc.h>
#include <string>

namespace vigil_bench {

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

void keep_freed_memory() {
    constexpr int one_gibibyte = 1 << 30;
    mallopt(M_MMAP_THRESHOLD, one_gibibyte);
    mallopt(M_TRIM_THRESHOLD, one_gibibyte);
    mallopt(M_TOP_PAD, 1 << 20);
}

}  // namespace vigil_bench
