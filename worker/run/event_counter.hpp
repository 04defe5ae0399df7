#pragma once

#include <optional>
#include <string>

#include <linux/perf_event.h>

#include "worker/run/run.hpp"

// What the kernel counts of processes.

namespace vigil::worker {

inline constexpr EventCounter instructions_counter{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS};

/// In user mode, of a process and all that it starts, from the program on that it becomes next.
perf_event_attr attributes_of(const EventCounter& counter);

/// Opens it on this thread. May be called between fork and exec.
/// @return  a descriptor, -1 when the kernel refuses; errno says why
int open_counter(const perf_event_attr& attributes);

/// Why a counter cannot be had; one line each.
struct CounterRefusal {
    std::string why;
    std::string advice;  ///< what to do; empty: nothing can be done on this machine
};

/// @param error     errno of the refusal
/// @param paranoid  what /proc/sys/kernel/perf_event_paranoid says; may be empty
CounterRefusal counter_refusal(int error, const std::string& paranoid);

/// Tries it, and closes it again. @return  nothing: it can be had
std::optional<CounterRefusal> find_refusal(const EventCounter& counter);

/// Adds the fact why what was to be counted was not.
void note_counter(RunReport& report, const RunRequest& request);

}  // namespace vigil::worker
