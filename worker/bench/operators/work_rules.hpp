#pragma once

#include <optional>
#include <string>

#include "worker/bench/operators/work.hpp"

// The formulas behind work_of, by operator.

namespace vigil_bench {

/// Of matrix products, convolutions, recurrent layers and attention; nothing: it is none of them.
/// @param name  without "aten::"
std::optional<double> product_flops_of(const std::string& name, const OperatorShapes& call);

/// Of pooling: an operation for each value of each window. Of upsampling and its gradients: a
/// multiplication and an addition for each value that an output is made of. Nothing: it is
/// something else.
std::optional<double> window_flops_of(const std::string& name, const OperatorShapes& call);

/// Operations for each element of the largest tensor of the call; nothing: they are not known.
/// @param name  without "aten::" and without the _ of what is done in place
std::optional<double> flops_per_element(const std::string& name);

/// Whether it only copies, fills or allocates: bytes, but no operation.
bool is_without_flops(const std::string& name);

/// Whether it makes memory without touching it.
bool is_allocation(const std::string& name);

/// Whether it reads only so much of its first tensor as it writes: embedding, gather.
bool reads_a_part(const std::string& name);

}  // namespace vigil_bench
