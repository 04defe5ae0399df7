#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "worker/run/run.hpp"
#include "worker/run/share.hpp"

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
/// @param gpus                 whose devices are shown; nothing: all
std::vector<std::string> sandbox_arguments(
    const std::vector<Mount>& mounts,
    Rights rights,
    std::int64_t shared_memory_bytes,
    const std::optional<GpuDevices>& gpus = {});

/// "NAME=value" of a request's process, all of them.
/// @param loads  whether those of the loader (LD_PRELOAD) are among them
/// @param gpus   that it is told of, whatever the request says; nothing: as the request says
std::vector<std::string> environment_for(
    const RunRequest& request, bool sandboxed, bool loads, const std::optional<GpuDevices>& gpus);

/// Has bwrap set those of them that are of the loader, for the command only.
void add_loader_variables(
    std::vector<std::string>& arguments, const EnvironmentVariables& variables);

/// Where bwrap is; empty when it is not installed.
std::filesystem::path find_bubblewrap();

}  // namespace vigil::worker
