#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "schema/model/recipe.hpp"

namespace vigil::service {

/// What a helper program (a package manager's client) may use.
struct ChildLimits {
    int timeout_s = 120;
    std::int64_t output_bytes = std::int64_t{16} << 20;  ///< standard output; of errors 64 KiB
    std::int64_t file_bytes = std::int64_t{1} << 30;     ///< largest file it may write
};

struct ChildResult {
    int exit_code = 0;  ///< -1: ended by `signal`
    int signal = 0;
    std::string output;
    std::string errors;  ///< the first 64 KiB of standard error
};

/// The program's path by PATH; nullopt when it is not installed.
std::optional<std::string> find_program(const std::string& name);

/// Runs a program to its end, without a shell, in a process group of its own that is killed with
/// it, standard input empty, our environment and `extra` on top. It dies with the calling thread.
/// @param command  element 0 is the program's path
/// @throws Error{unavailable} when it cannot be started, runs past its time or prints too much
ChildResult run_child(
    const Command& command,
    const std::filesystem::path& folder,
    const EnvironmentVariables& extra,
    const ChildLimits& limits);

}  // namespace vigil::service
