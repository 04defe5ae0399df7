#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "worker/lease/build_cache.hpp"
#include "worker/run/sandbox.hpp"

namespace vigil::worker {

/// What the operator of one worker decides (docs/operations.md).
struct WorkerSettings {
    std::string server;        ///< "http://host:port"
    std::string content_from;  ///< an HTTP cache before it, likewise; empty: none
    std::string name;          ///< for the log; the token decides who the worker is
    std::filesystem::path token_file;
    std::filesystem::path state_dir;
    std::filesystem::path
        machine_lock;        ///< file by which a machine's workers take turns; empty: none
    BuildCache build_cache;  ///< "ccache_dir", "ccache_writers"; several workers may share one
    std::filesystem::path build_cache_token_file;  ///< "ccache_token_file"; empty: none is shown
    std::int64_t cache_max_bytes = std::int64_t{20} << 30;
    std::map<std::string, std::string> labels;
    std::filesystem::path bench_source;  ///< vigil-bench's; empty: found beside the program
    SandboxMode sandbox = SandboxMode::automatic;
    bool allow_uncontained = false;                      ///< jobs run where there is no sandbox
    std::vector<std::filesystem::path> read_only_paths;  ///< shown inside the sandbox
    std::vector<int> cores;                        ///< that it and all it starts use; empty: all
    std::optional<int> numa_memory;                ///< NUMA node of their memory; nothing: any
    std::optional<std::vector<std::string>> gpus;  ///< indices or ids; nothing: all
    std::vector<std::string> beside;  ///< workers with its machine_lock that it may run with
    std::int64_t drain_s = 1800;      ///< for the job at hand after the first SIGTERM
    std::string log_level = "info";
};

/// Reads one JSON object; comments are allowed; relative paths are relative to the file.
/// @throws Error{invalid_argument} naming file, line and key
WorkerSettings load_settings(const std::filesystem::path& file);

/// The effective values as JSON; the token's content never.
std::string effective_settings(const WorkerSettings& settings);

/// The token: the file's first line. @throws Error{invalid_argument} when it is missing or empty,
/// or others than its owner may read it
std::string load_token(const std::filesystem::path& file);

}  // namespace vigil::worker
