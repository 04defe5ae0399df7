#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "worker/child/report.hpp"
#include "worker/run/capture.hpp"
#include "worker/run/run.hpp"

namespace vigil::worker {

/// Starts a program with pipes on its output and on a report descriptor.
struct SpawnRequest {
    std::vector<std::string> arguments;         ///< element 0 is a path
    std::vector<std::string> environment;       ///< "NAME=value", all of it
    std::vector<std::filesystem::path> groups;  ///< cgroup.procs files to enter first
    bool merge_errors = false;
    std::int64_t output_bytes = 0;   ///< kept of each stream
    std::int64_t wall_time_ms = 0;   ///< then the program is killed
    std::vector<int> processors;     ///< the only ones it may use; empty: all
    std::optional<int> numa_memory;  ///< of all its memory, up to max_numa_memory; nothing: any
    unsigned user = 0;               ///< and group, that the program is started as; 0: this one's
    std::optional<EventCounter> counter;  ///< open at counter_descriptor, where the kernel has it
    int channel = -1;                     ///< open at channel_descriptor; -1: there is none
    std::string filter;                   ///< readable at filter_descriptor; empty: there is none
    const std::atomic<bool>* stop = nullptr;
    const std::atomic<bool>* stop_too = nullptr;
};

struct SpawnResult {
    Capture output;
    Capture errors;
    std::optional<ChildReport> report;  ///< when a whole one arrived
    int status = 0;                     ///< of the program itself, as from waitpid
    bool overdue = false;               ///< killed at wall_time_ms
    bool stopped = false;               ///< killed by `stop` or `stop_too`
};

/// The numbers that descriptors have in every program that is spawned: where it writes its
/// ChildReport, a pipe that ends when it shall stop or when this process dies, the filter, a
/// counter of it and its descendants, and a socket on which it hands out a port.
constexpr int report_descriptor = 3;
constexpr int lifeline_descriptor = 4;
constexpr int filter_descriptor = 5;
constexpr int counter_descriptor = 6;
constexpr int channel_descriptor = 7;

/// Has all memory of this thread, and of what it starts, come from one NUMA node. May be called
/// between fork and exec.
/// @param number  0 to max_numa_memory
/// @return  whether the kernel did so; errno says why not
bool bind_memory(int number);

/// Runs it to its end, keeping its pipes empty. When told to stop it cuts the lifeline, and two
/// seconds later kills.
/// @throws Error{unavailable} when no process can be made
SpawnResult spawn(const SpawnRequest& request);

}  // namespace vigil::worker
