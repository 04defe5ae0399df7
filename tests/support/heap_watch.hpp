#pragma once

#include <cstddef>

// What this program takes from the heap by operator new, for tests of how much memory something
// needs. Whoever links heap_watch.cpp replaces the operator.

namespace vigil::test {

struct HeapUse {
    std::size_t held = 0;  ///< now
    std::size_t peak = 0;  ///< at most since `watch_heap`
    std::size_t made = 0;  ///< in all since then
};

/// Begins anew.
void watch_heap();
HeapUse heap_use();

}  // namespace vigil::test
