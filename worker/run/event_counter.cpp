#include "worker/run/event_counter.hpp"

#include <cerrno>
#include <cstring>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/syscall.h>

#include "schema/wire/run_fact_json.hpp"
#include "worker/run/text_file.hpp"

namespace vigil::worker {

perf_event_attr attributes_of(const EventCounter& counter) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = counter.type;
    attributes.config = counter.config;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attributes.disabled = 1;
    attributes.enable_on_exec = 1;
    attributes.inherit = 1;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    return attributes;
}

int open_counter(const perf_event_attr& attributes) {
    return static_cast<int>(
        ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

CounterRefusal counter_refusal(int error, const std::string& paranoid) {
    switch (error) {
        case ENOENT:
        case ENODEV:
        case EOPNOTSUPP:
            return {
                "this machine shows no such counters; a virtual one has them where the machine "
                "below passes them on",
                ""};
        case EACCES:
        case EPERM:
            return {
                fmt::format(
                    "the kernel does not let this user count: "
                    "/proc/sys/kernel/perf_event_paranoid is {}, and 2 suffices",
                    paranoid.empty() ? "not shown" : paranoid),
                "sysctl kernel.perf_event_paranoid=2; a container needs the capability "
                "CAP_PERFMON"};
        case ENOSYS: return {"this kernel cannot count (no perf_event_open)", ""};
        default: return {fmt::format("perf_event_open: {}", std::strerror(error)), ""};
    }
}

std::optional<CounterRefusal> find_refusal(const EventCounter& counter) {
    const int opened = open_counter(attributes_of(counter));
    if (opened < 0) {
        return counter_refusal(errno, first_line("/proc/sys/kernel/perf_event_paranoid"));
    }
    ::close(opened);
    return std::nullopt;
}

void note_counter(RunReport& report, const RunRequest& request) {
    if (!request.counter || report.counted) return;
    const auto refusal = find_refusal(*request.counter);
    report.facts.push_back(
        {.name = wire::not_counted,
         .text = refusal ? refusal->why : "others used the machine's counters meanwhile"});
}

}  // namespace vigil::worker
