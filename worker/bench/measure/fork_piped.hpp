#pragma once

#include <functional>

namespace vigil_bench {

/// A process that writes to this one.
struct Piped {
    int process = -1;
    int pipe = -1;  ///< to read from; the caller closes it
};
/// Forks. The child dies with this process.
/// @param work  runs in the child, with the end to write to; never returns
/// @throws std::runtime_error when a process cannot be made
Piped fork_piped(const std::function<void(int pipe)>& work);

}  // namespace vigil_bench
