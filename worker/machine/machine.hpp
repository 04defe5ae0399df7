#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "schema/model/job.hpp"
#include "worker/machine/nvml.hpp"
#include "worker/run/share.hpp"

// What can be said of the machine a worker runs on.

namespace vigil::worker {

/// Facts that can move a number and stay (CPU, microcode, governor, turbo, kernel, memory, NUMA,
/// GPUs and their driver, libraries), and readings that move (load, clocks, temperatures, free
/// memory, throttling). What the machine does not tell is left out. Takes some milliseconds;
/// with GPUs as long as their driver takes to answer.
/// @param root  "/"; tests put a made-up /proc and /sys below another folder
/// @param gpus  those to tell of; nothing: all
EnvironmentRecord read_environment(
    const std::filesystem::path& root = "/", const std::optional<GpuDevices>& gpus = {});

/// NVIDIA's GPUs, from the driver's library; where that cannot be asked, from nvidia-smi; where
/// there are none, AMD's from rocm-smi. Such a program gets ten seconds.
GpuList list_gpus();

/// What rocm-smi prints as JSON, one object a card, in nvidia-smi's words, with "maker" "amd"; none
/// where it is something else.
std::vector<GpuValues> parse_rocm_values(const std::string& json);

/// What nvidia-smi prints as CSV, one line a GPU; lines with another number of cells are passed
/// over.
/// @param names  of the cells, in their order
std::vector<GpuValues> parse_gpu_values(
    const std::vector<std::string>& names, const std::string& csv);

/// @param labels     from the worker's config
/// @param toolchain  from toolchain_text
Fingerprint make_fingerprint(
    const EnvironmentRecord& environment,
    std::map<std::string, std::string> labels,
    const std::string& toolchain);

}  // namespace vigil::worker
