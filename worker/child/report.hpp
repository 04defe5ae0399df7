#pragma once

#include <cstdint>

// What vigil-child writes to its report descriptor, once, before it exits.

namespace vigil::worker {

struct ChildReport {
    static constexpr std::uint64_t magic_value = 0x7669'6769'6c2d'6331;
    enum class End : std::uint32_t {
        exited,
        signalled,
        timed_out,
        not_started,
        stopped,
        out_of_memory,  ///< all its processes together
    };

    std::uint64_t magic = magic_value;
    End end = End::exited;
    std::int32_t code = 0;           ///< exit code, signal, or errno of the exec that failed
    std::int64_t started_at_ns = 0;  ///< UTC
    std::int64_t wall_time_ns = 0;
    std::int64_t cpu_time_ns = 0;  ///< user and system, of the whole tree
    std::int64_t peak_bytes = 0;   ///< largest resident set of one process of the tree
    std::int32_t left_behind = 0;  ///< processes that outlived the command and were killed
    std::int64_t major_faults = 0;  ///< of the whole tree, as all that follow
    std::int64_t minor_faults = 0;
    std::int64_t involuntary_switches = 0;
};

}  // namespace vigil::worker
