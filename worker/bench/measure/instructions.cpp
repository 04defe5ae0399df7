#include "worker/bench/measure/instructions.hpp"

#include <cerrno>
#include <cstring>
#include <unistd.h>

#include <linux/perf_event.h>
#include <sys/syscall.h>

namespace vigil_bench {

InstructionCounter::InstructionCounter() {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
    attributes.inherit = 1;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    constexpr int this_process = 0;
    constexpr int any_processor = -1;
    constexpr int no_group = -1;
    file_ = static_cast<int>(syscall(
        SYS_perf_event_open,
        &attributes,
        this_process,
        any_processor,
        no_group,
        PERF_FLAG_FD_CLOEXEC));
    if (file_ < 0) absence_ = std::string("perf_event_open: ") + std::strerror(errno);
}

InstructionCounter::~InstructionCounter() {
    if (file_ >= 0) close(file_);
}

std::optional<double> InstructionCounter::count() const {
    struct {
        std::uint64_t value, enabled_ns, running_ns;
    } read_out{};
    if (file_ < 0 || read(file_, &read_out, sizeof read_out) != sizeof read_out) {
        return std::nullopt;
    }
    if (read_out.running_ns == 0) return std::nullopt;
    return static_cast<double>(read_out.value) * static_cast<double>(read_out.enabled_ns) /
           static_cast<double>(read_out.running_ns);
}

}  // namespace vigil_bench
