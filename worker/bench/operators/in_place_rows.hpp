#pragma once

#include <cstddef>
#include <string>
#include <vector>

// Which calls in place, of one operator over many tensors, could be one foreach operator. Pure.

namespace vigil_bench {

struct InPlaceCall {
    /// Operator, numbers and type: calls of one kind can be one call. Empty: any other call.
    std::string kind;
    const void* writes = nullptr;    ///< memory of the tensor that it changes
    std::vector<const void*> reads;  ///< memories of its other tensors
};

/// Fewer are no loop over parameters.
inline constexpr std::size_t least_row = 8;

/// Each row has least_row calls or more of one kind: places among `calls`, in their order. Kinds
/// may alternate (a momentum, then a step, for each parameter). No other call stands among them,
/// and to do one kind after the other leaves every tensor with the same values.
std::vector<std::vector<std::size_t>> find_rows(const std::vector<InPlaceCall>& calls);

}  // namespace vigil_bench
