#pragma once

#include <cstddef>
#include <vector>

// Which calls of some iteration could be one loop over the elements. Pure.

namespace vigil_bench {

/// A call as far as memory matters. Calls that another one makes are left out.
struct MemoryCall {
    std::vector<const void*> reads;
    const void* writes = nullptr;  ///< its first output's memory
    bool is_in_place = false;      ///< the output is what it reads
    bool is_element_wise = false;  ///< computes each element of `reads[0]` by itself, in no place
    bool is_symmetric = false;     ///< and takes its first two the other way round too
};

/// Each chain has two calls or more: places among `calls`, in their order. A call reads what the
/// one before it wrote first of all, and nobody else reads it: such a value needs no memory.
std::vector<std::vector<std::size_t>> find_chains(const std::vector<MemoryCall>& calls);

}  // namespace vigil_bench
