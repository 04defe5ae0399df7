#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/recipe.hpp"

// The part of a machine that one of its workers has.

namespace vigil::worker {

enum class GpuMaker { nvidia, amd };

struct GpuDevice {
    GpuMaker maker = GpuMaker::nvidia;
    int index = 0;     ///< in its driver's order
    std::string id;    ///< "GPU-...", as its driver takes it; may be empty
    std::string file;  ///< below /dev: "nvidia0", "dri/renderD128"
    friend bool operator==(const GpuDevice&, const GpuDevice&) = default;
};

using GpuDevices = std::vector<GpuDevice>;

struct MachineShare {
    std::vector<int> cores;  ///< empty: all
    std::optional<int> numa_memory;
    std::optional<GpuDevices> gpus;  ///< nothing: all
};

/// GPUs as the drivers' files in /proc and /sys have them, NVIDIA's first; at most 64.
/// @param root  "/"; tests put made-up files below another folder
GpuDevices list_gpu_devices(const std::filesystem::path& root = "/");

/// @param wanted  indices or ids. Indices count NVIDIA's GPUs, or AMD's where there are no others
/// @throws Error{invalid_argument} naming the one that is not there, and those that are
GpuDevices choose_gpus(const std::vector<std::string>& wanted, const GpuDevices& all);

/// The files below /dev that a process needs for these GPUs.
/// @param gpus  nothing: all of the machine
std::vector<std::string> gpu_files(
    const std::optional<GpuDevices>& gpus, const std::filesystem::path& dev = "/dev");

/// What tells programs of their GPUs.
EnvironmentVariables gpu_variables(const GpuDevices& gpus);

/// Holds this process and all it starts from now on to the share's cores and memory.
/// @throws Error{unavailable} naming what the machine lacks
void keep_to(const MachineShare& share);

/// "worker_cores" and so on, of what is not all of the machine.
std::map<std::string, std::string> facts_of(const MachineShare& share);

}  // namespace vigil::worker
