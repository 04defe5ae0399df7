#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "worker/run/run.hpp"

namespace vigil::worker {

/// Whether processes must be, may be, or shall not be held by bubblewrap; or whether it only shows
/// each its working folder at `folder_path`, which exists, and changes nothing else.
enum class SandboxMode { automatic, require, off, view };

/// The uid and gid under which processes run when the worker is root, and inside any sandbox.
constexpr unsigned sandbox_user = 65534;

/// How bubblewrap gets its namespaces. As root it makes them itself and the process becomes
/// `sandbox_user` inside (vigil-child does that); otherwise through a user namespace.
enum class Rights { root, user };

/// The arguments of bwrap up to its "--": no network, no capabilities, namespaces of its own, the
/// system's programs and libraries read-only, and the mounts.
/// @param mounts               each `from` exists
/// @param shared_memory_bytes  that /dev/shm holds at most, > 0
std::vector<std::string> sandbox_arguments(
    const std::vector<Mount>& mounts, Rights rights, std::int64_t shared_memory_bytes);

/// Whether the loader reads it. Such variables are for the command: loaded into bwrap, a library
/// that starts a thread would keep it from making namespaces.
bool is_of_loader(const std::string& variable);

/// Has bwrap set those of them that are of the loader, for the command only.
void add_loader_variables(
    std::vector<std::string>& arguments, const EnvironmentVariables& variables);

/// Where bwrap is; empty when it is not installed.
std::filesystem::path find_bubblewrap();

}  // namespace vigil::worker
