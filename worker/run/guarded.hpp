#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "schema/wire/packed.hpp"

// What strangers wrote is read in a process of its own: whatever their text makes of the reader,
// this process goes on.

namespace vigil::worker {

/// What a guarded call may take.
struct GuardLimits {
    std::size_t memory_bytes = 0;  ///< beside what this process has
    int cpu_s = 60;
    int wall_s = 600;
};

/// Of a reader that keeps a budget (schema/text/read_budget.hpp), with what its answer needs.
GuardLimits limits_for(std::size_t text_bytes);

/// What `work` returns. It runs in a copy of this process that has no descriptors, cannot open
/// files or sockets or make processes, and ends when its memory or time is up, or when this thread
/// ends.
/// @throws Error and BudgetError as `work` does; Error{invalid_argument} when it was ended,
///         Error{unavailable} when no process can be made
std::string guarded_bytes(const GuardLimits& limits, const std::function<std::string()>& work);

/// The same of a value that can be packed.
template <class Work>
auto guarded(const GuardLimits& limits, Work&& work) {
    using Value = decltype(work());
    return wire::unpacked<Value>(guarded_bytes(limits, [&] { return wire::packed(work()); }));
}

}  // namespace vigil::worker
