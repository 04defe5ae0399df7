#include "worker/run/out_of_memory.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

namespace vigil::worker {

namespace {

constexpr std::size_t last_words_bytes = 16 * 1024;
constexpr std::array<std::string_view, 6> complaints{
    "std::bad_alloc",
    "MemoryError",
    "DefaultCPUAllocator: can't allocate memory",
    "CUDA out of memory",
    "Cannot allocate memory",
    "out of memory"};

bool complains(std::string_view text) {
    if (text.size() > last_words_bytes) text.remove_prefix(text.size() - last_words_bytes);
    return std::any_of(complaints.begin(), complaints.end(), [&](std::string_view words) {
        return text.find(words) != text.npos;
    });
}

}  // namespace

bool ran_out_of_memory(const RunReport& report, std::int64_t kills, const Limits& limits) {
    switch (report.end) {
        case RunEnd::exited:
            if (report.exit_code == 0) return kills > 0;
            break;
        case RunEnd::signalled:
            if (report.signal == SIGKILL && report.peak_bytes > limits.memory_bytes / 10 * 9) {
                return true;
            }
            break;
        case RunEnd::timed_out:
        case RunEnd::stopped: return false;
        case RunEnd::out_of_memory: return true;
        case RunEnd::not_started: return kills > 0;
    }
    return kills > 0 || complains(report.errors);
}

}  // namespace vigil::worker
