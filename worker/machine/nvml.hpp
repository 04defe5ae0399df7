#pragma once

#include <map>
#include <string>
#include <vector>

// NVIDIA's own word on its GPUs, from the driver's library, loaded when asked.

namespace vigil::worker {

/// What one GPU says, by the names and in the units and words of nvidia-smi: "name",
/// "driver_version", "clocks.sm" (MHz), "power.draw" (W), "memory.total" (MiB),
/// "clocks_throttle_reasons.active" (a mask in hex); what it does not say is missing.
using GpuValues = std::map<std::string, std::string>;

struct GpuList {
    std::vector<GpuValues> gpus;  ///< at most 16, in the driver's order
    std::string absence;          ///< why there are none; empty: there are
};

/// Loads the library, asks every GPU and lets go of it. A function that the library lacks, or that
/// fails, costs its value only.
/// @param library  a file, or a name for the loader
GpuList ask_nvml(const std::string& library = "libnvidia-ml.so.1");

}  // namespace vigil::worker
