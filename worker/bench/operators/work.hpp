#pragma once

#include <cstdint>
#include <string>
#include <vector>

// How many floating-point operations and bytes a call of an operator takes at least, from its
// shapes. Pure.

namespace vigil_bench {

struct TensorShape {
    std::vector<std::int64_t> sizes;
    int element_bytes = 4;
    /// Whether it lies in the memory of a tensor that the call reads: a view, or written in place.
    bool is_shared = false;

    double count() const;  ///< of its elements
    double bytes() const { return count() * element_bytes; }
};

/// One argument. What is neither tensors nor whole numbers is empty.
struct ShapeArgument {
    std::vector<TensorShape> tensors;   ///< one, or those of a list; undefined ones are left out
    std::vector<std::int64_t> numbers;  ///< an integer, a boolean as 0 or 1, or a list of them
};

struct OperatorShapes {
    std::string name;  ///< "aten::addmm"
    std::vector<ShapeArgument> arguments;
    std::vector<TensorShape> outputs;
};

/// A multiplication and an addition are two operations; a function of one element (exp, tanh,
/// sqrt) is one.
struct Work {
    double product_flops = 0;  ///< of matrix products, convolutions and attention
    double other_flops = 0;    ///< of what goes element by element: norms, activations, sums
    double bytes = 0;          ///< each tensor read once and written once
    bool is_known = false;     ///< whether the operations are: else only bytes are counted

    double flops() const { return product_flops + other_flops; }
};

Work operator+(const Work& a, const Work& b);

/// One of so many equal parts.
Work divided(const Work& work, double parts);

/// Of the call by itself, whatever it calls. Views and allocations take nothing.
Work work_of(const OperatorShapes& call);

/// Of a call that made others: products are counted where they were asked for; anything else is
/// its own work or that of the calls within, whichever is more.
/// @param within  the sum of them
Work with_calls(const Work& own, const Work& within);

}  // namespace vigil_bench
