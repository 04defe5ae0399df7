#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/launch.hpp"
#include "schema/model/recipe.hpp"

// What a launch of the config comes to on this machine.

namespace vigil::worker {

struct AppliedLaunch {
    std::vector<int> processors;     ///< the only ones it may use; empty: all of the worker's
    std::optional<int> numa_memory;  ///< of all its memory; nothing: any
    EnvironmentVariables variables;  ///< below those of the benchmark
    friend bool operator==(const AppliedLaunch&, const AppliedLaunch&) = default;
};

/// @param own   the processors that the worker may use, in order, not empty
/// @param root  "/"; tests put a made-up /sys and /usr below another folder
/// @throws Error{unavailable} naming all that this machine lacks, and the packages to install
AppliedLaunch apply_launch(
    const Launch& launch, const std::vector<int>& own, const std::filesystem::path& root = "/");

/// "cores 0-3; memory of node 0; OMP_NUM_THREADS=4"; empty: nothing was applied.
std::string words_of(const AppliedLaunch& launch);

/// The processors that this process may use, in order.
std::vector<int> own_processors();

/// NUMA nodes of this machine; one, 0, where the kernel shows none.
std::vector<int> numa_memories(const std::filesystem::path& root = "/");

/// Where a library lies that a launch preloads; empty: it is not installed.
std::filesystem::path find_allocator(Allocator allocator, const std::filesystem::path& root = "/");

}  // namespace vigil::worker
