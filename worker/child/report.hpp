#pragma once

#include <cstdint>

// What vigil-child writes to its report descriptor, once, before it exits.

namespace vigil::worker {

/// What a counter said when it was read, with the times that it was wanted and that it counted.
struct CounterReading {
    std::int64_t value = 0;
    std::int64_t enabled_ns = 0;
    std::int64_t running_ns = 0;
};

/// What was counted between two readings; 0: nothing, or not all the time, since counters were
/// short. A part is not made larger by a guess: what is judged is exact.
constexpr std::int64_t counted_between(const CounterReading& before, const CounterReading& after) {
    const std::int64_t enabled_ns = after.enabled_ns - before.enabled_ns;
    const std::int64_t running_ns = after.running_ns - before.running_ns;
    const bool is_whole = enabled_ns > 0 && running_ns == enabled_ns;
    return is_whole && after.value > before.value ? after.value - before.value : 0;
}

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
    std::int64_t cpu_time_ns = 0;   ///< user and system, of the whole tree
    std::int64_t peak_bytes = 0;    ///< largest resident set of one process of the tree
    std::int32_t left_behind = 0;   ///< processes that outlived the command and were killed
    std::int64_t major_faults = 0;  ///< of the whole tree, as all that follow
    std::int64_t minor_faults = 0;
    std::int64_t involuntary_switches = 0;
    std::int64_t counted = 0;  ///< by the counter it was given; 0: it has none, or lost some
};

}  // namespace vigil::worker
