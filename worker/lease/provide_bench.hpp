#pragma once

#include <filesystem>
#include <ostream>
#include <string>

#include "schema/model/recipe.hpp"

// `vigil-worker --provide-bench`: vigil-bench for a build, without a daemon or a job, as a worker
// makes it. For whoever reproduces a report by hand.

namespace vigil::worker {

/// What of the compilation is missing on this machine, and what to do; empty: nothing that shows
/// without compiling. Quick.
/// @param source  of vigil-bench; empty: not found
std::string missing_for_bench(const std::filesystem::path& source);

/// Whether this machine has a LibTorch of its own where CMake looks for it.
bool has_torch();

/// Compiles vigil-bench against the LibTorch that `product` carries, else against the machine's, or
/// takes what was compiled before.
/// @param arguments  of the benchmark: a model of the zoo needs another program
/// @param state      where programs are kept, by LibTorch; it may be removed at any time
/// @param progress   told before it takes minutes
/// @return           the program
/// @throws Error{unavailable} with what is missing, or the end of the compiler's output
std::filesystem::path provide_bench(
    const std::filesystem::path& product,
    const Command& arguments,
    const std::filesystem::path& source,
    const std::filesystem::path& state,
    std::ostream& progress);

}  // namespace vigil::worker
