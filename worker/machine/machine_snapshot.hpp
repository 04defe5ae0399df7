#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "worker/machine/nvml.hpp"
#include "worker/run/event_counter.hpp"

namespace vigil::worker {

/// One GPU as NVIDIA's driver tells of it, in nvidia-smi's words; what it does not tell is empty or
/// "[N/A]".
struct GpuState {
    std::string name;
    std::string persistence;  ///< "Enabled", "Disabled"
    std::string clock_mhz;    ///< the application clock that is set
    std::string max_clock_mhz;
    std::string throttle_reasons;  ///< active ones, a mask in hex
};

/// A sleep of processors that the kernel may choose.
struct IdleState {
    std::string name;  ///< "C6"
    long wake_us = 0;  ///< how long it takes to wake from it
};

/// What the machine's files say, first lines; empty: there is no such file.
struct MachineSnapshot {
    std::vector<std::string> governors;  ///< one for each CPU that has one
    std::string no_turbo;                ///< intel_pstate: "1" is off
    std::string boost;                   ///< cpufreq: "0" is off
    std::string smt_control;
    std::string smt_active;
    std::optional<std::string> isolated_cpus;  ///< a list like "2-7"; nothing: no such file
    std::string huge_pages;                    ///< "always [madvise] never"
    std::string load;                          ///< of /proc/loadavg
    std::string cpu_flags;
    std::string cpu_times;                ///< first line of /proc/stat
    int cpus = 0;                         ///< online; 0: not known
    std::vector<IdleState> idle_states;   ///< those that are not disabled
    std::vector<int> numa_parts;          ///< numbers of NUMA nodes; empty: not shown
    std::string numa_balancing;           ///< "0" is off
    std::vector<std::string> allocators;  ///< installed ones
    bool tried_counter = false;           ///< of instructions
    std::optional<CounterRefusal> no_counter;
    bool has_valgrind = false;
    /// Why perf cannot sample, and ": " with what helps; empty: it can. Nothing: it was not tried.
    std::optional<std::string> no_perf;
    std::vector<GpuState> gpus;
    std::string gpu_absence;  ///< why there are none; empty: not asked
};

/// Reads /sys and /proc; with root "/" asks NVIDIA's driver too.
/// @param root  tests put made-up files below another folder
MachineSnapshot read_machine_snapshot(const std::filesystem::path& root = "/");

/// What the check needs of what a GPU says.
GpuState gpu_state(const GpuValues& values);

}  // namespace vigil::worker
