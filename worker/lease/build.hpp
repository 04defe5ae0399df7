#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "schema/model/job.hpp"
#include "worker/lease/build_cache.hpp"
#include "worker/run/run.hpp"

namespace vigil::worker {

/// What came of running a recipe.
struct BuildReport {
    bool built = false;
    std::string message;  ///< why not, one line
    std::string log;      ///< of all its commands, for people
    bool stopped = false;
    std::int64_t wall_time_ns = 0;  ///< of its commands
};

struct BuildPlace {
    std::filesystem::path tree;     ///< the unpacked input; the commands' working folder
    std::filesystem::path scratch;  ///< made and removed by each command
    BuildCache ccache;              ///< shared with other builds
    std::filesystem::path product;  ///< the tar to make
    MountAccess ccache_access = MountAccess::read_only;
};

/// Runs a recipe's commands in the sandbox, in a tree that is shown at the same path whatever the
/// revision, and packs its outputs. The wall time limit is for all commands together.
/// @throws Error{unavailable} when this machine cannot do it
BuildReport build_product(
    Runner& runner,
    const Recipe& recipe,
    const BuildPlace& place,
    const std::atomic<bool>& stop,
    const std::vector<Mount>& mounts = {});

/// Unpacks the input into the tree, emptied before, and builds there.
/// @throws Error{unavailable} as build_product(); a bad input is a failed build
BuildReport build_input(
    Runner& runner,
    const std::filesystem::path& input,
    const Recipe& recipe,
    const BuildPlace& place,
    const std::atomic<bool>& stop);

/// The same recipe, for compilers that take nothing from an earlier build.
Recipe without_caches(Recipe recipe);

/// The step of a benchmark of the kind `build`: passed with build_time_ns, or failed.
RunOutcome build_time(int step, const BuildReport& report);

}  // namespace vigil::worker
