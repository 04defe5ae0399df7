#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "schema/model/recipe.hpp"

namespace vigil::service {

/// What a helper program (git, a package manager's client) may use.
struct ChildLimits {
    int timeout_s = 120;
    int silence_s = 0;  ///< longest time without a byte of output or of errors; 0: any
    std::int64_t output_bytes = std::int64_t{16} << 20;  ///< standard output; of errors 64 KiB
    std::int64_t file_bytes = std::int64_t{1} << 30;     ///< largest file it may write
    const std::atomic<bool>* stop = nullptr;  ///< when it turns true, the child is killed
};

struct ChildResult {
    int exit_code = 0;  ///< -1: ended by `signal`
    int signal = 0;
    std::string output;
    std::string errors;  ///< the last 64 KiB of standard error
};

/// The program's path by PATH; nullopt when it is not installed.
std::optional<std::string> find_program(const std::string& name);

/// Runs a program to its end, without a shell, in a process group of its own that is killed with
/// it, standard input empty, our environment and `extra` on top. It dies with the calling thread.
/// @param command  element 0 is the program's path
/// @throws Error{unavailable} when it cannot be started, runs past its time, is silent for too
///         long, prints too much, or is stopped
ChildResult run_child(
    const Command& command,
    const std::filesystem::path& folder,
    const EnvironmentVariables& extra,
    const ChildLimits& limits);

}  // namespace vigil::service
