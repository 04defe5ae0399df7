#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/model/enum_names.hpp"

// How the process of a run is started on its machine: on which cores, with memory of which NUMA
// node, with which allocator and OpenMP settings.

namespace vigil {

/// The two ways of the published Inductor CPU dashboard: one core with one thread, and all cores of
/// one socket. Each with memory of its own node, jemalloc, and its OpenMP settings.
enum class LaunchProfile { none, xeon_core, xeon_socket };

template <>
inline constexpr auto enum_names<LaunchProfile> =
    std::to_array<std::pair<LaunchProfile, std::string_view>>(
        {{LaunchProfile::none, "none"},
         {LaunchProfile::xeon_core, "xeon-core"},
         {LaunchProfile::xeon_socket, "xeon-socket"}});

enum class Allocator { standard, jemalloc, tcmalloc };

/// Which OpenMP a program gets: the one it is linked to, or Intel's (libiomp5, LLVM's libomp).
enum class OpenMpLibrary { standard, intel };

struct OpenMpSettings {
    int threads = 0;                  ///< 0: the program decides
    std::string affinity;             ///< KMP_AFFINITY; empty: not set
    std::optional<int> blocktime_ms;  ///< KMP_BLOCKTIME: a thread that waits spins so long
    OpenMpLibrary library = OpenMpLibrary::standard;
    friend bool operator==(const OpenMpSettings&, const OpenMpSettings&) = default;
};

struct Launch {
    LaunchProfile profile = LaunchProfile::none;  ///< stands alone
    std::string cores;                            ///< "0-3,8"; empty: all of the worker's
    std::optional<int> numa_memory = {};          ///< NUMA node of all its memory
    Allocator allocator = Allocator::standard;
    OpenMpSettings openmp;
    friend bool operator==(const Launch&, const Launch&) = default;
};

/// MALLOC_CONF of that dashboard, which jemalloc reads.
constexpr const char* dashboard_malloc =
    "oversize_threshold:1,background_thread:true,metadata_thp:auto,dirty_decay_ms:-1,"
    "muzzy_decay_ms:-1";

constexpr int max_core = 1023;            ///< as a set of the C library holds them
constexpr int max_numa_memory = 1023;     ///< likewise
constexpr int max_openmp_threads = 4096;  ///< more than any machine has
constexpr int max_blocktime_ms = 3'600'000;

/// The numbers of a list as Linux writes them, "0-3,8", in order, each once; nothing where it is no
/// such list, is empty or names a number above `max_core`.
std::optional<std::vector<int>> parse_cores(std::string_view list);

/// {0, 1, 2, 3, 8} as "0-3,8". @param cores  in order
std::string cores_text(const std::vector<int>& cores);

/// What is wrong with a core list ("" is fine: all), or with an affinity; empty: nothing.
std::string cores_problem(std::string_view list);
std::string affinity_problem(std::string_view affinity);

}  // namespace vigil
