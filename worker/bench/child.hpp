#pragma once

#include <functional>
#include <string>
#include <vector>

#include "worker/bench/arguments/arguments.hpp"
#include "worker/bench/outcome.hpp"

namespace vigil_bench {

/// How a child ended.
struct ChildEnd {
    std::string text;     ///< what its work returned
    std::string failure;  ///< why there is no text; empty: there is
    ExitReason ending = ExitReason::passed;
};

/// Forks one process for each piece of work and waits for all of them. Where one fails, the others
/// are killed, since they may wait for it, and all say what it said. Children die with this
/// process.
///
/// Call it before LibTorch has computed anything here: threads do not survive a fork.
/// @param arguments  of this run
/// @param work  runs in the child; returns a short text (below 64 KiB)
/// @throws std::runtime_error when a process cannot be made
std::vector<ChildEnd> run_in_children(
    const Arguments& arguments, const std::vector<std::function<std::string()>>& work);

}  // namespace vigil_bench
