#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

// What a program spent, function by function.

namespace vigil::profile {

/// The most that a cost or a count may be: doubles hold all whole numbers below.
inline constexpr std::int64_t most_cost = std::int64_t{1} << 53;

/// @param a, b  0 to most_cost. @return their sum, at most most_cost
inline std::int64_t sum(std::int64_t a, std::int64_t b) {
    return std::min(a + b, most_cost);
}

/// Somebody's cost, for lists of the largest ones.
struct NamedCost {
    std::string name;
    std::int64_t cost = 0;
    friend bool operator==(const NamedCost&, const NamedCost&) = default;
    template <class Io>
    friend void fields(Io& io, NamedCost& one) {
        io(one.name, one.cost);
    }
};

/// A function of the program that was measured, or of a library that it calls. Names and files are
/// a stranger's texts: one line each, at most 1,000 bytes.
struct Function {
    std::string name;  ///< demangled, without what compilers add; see plain_name
    std::string file;  ///< below the product's folder relative to it; empty: not known
    /// Of itself and, where the function is the program's own, of all that libraries did for it.
    std::int64_t cost = 0;
    std::int64_t calls = 0;
    bool is_own = true;                    ///< false: of a library, or of the system
    std::vector<NamedCost> libraries;      ///< the largest three that `cost` has of libraries
    std::vector<std::string> called_by;    ///< names of own functions; the largest eight
    std::vector<NamedCost> inlined = {};   ///< of other files, inlined into it; the largest three
    std::vector<NamedCost> lines = {};     ///< "src/a.hpp:12", of the project; the largest five
    std::int64_t bytes = 0;                ///< of an operator: that it asks for itself
    std::vector<std::string> shapes = {};  ///< of an operator: of the tensors that it reads
    /// Of an operator's memory: bytes that stay after an iteration, more each time.
    std::int64_t grown = 0;
    friend bool operator==(const Function&, const Function&) = default;
    template <class Io>
    friend void fields(Io& io, Function& one) {
        io(one.name,
           one.file,
           one.cost,
           one.calls,
           one.is_own,
           one.libraries,
           one.called_by,
           one.inlined,
           one.lines,
           one.bytes,
           one.shapes,
           one.grown);
    }
};

/// A cost with all functions that led to it.
struct Stack {
    std::vector<std::uint32_t> frames;  ///< places in Profile::frames, the outermost first
    std::int64_t cost = 0;
    friend bool operator==(const Stack&, const Stack&) = default;
    template <class Io>
    friend void fields(Io& io, Stack& one) {
        io(one.frames, one.cost);
    }
};

/// What costs are; 0 to most_cost.
enum class CostUnit {
    instructions,
    peak_bytes,  ///< that malloc and new gave and that were in use when most were; calls are blocks
    operator_ns,     ///< of an iteration, in an operator of LibTorch but not in those that it calls
    operator_bytes,  ///< that an operator of LibTorch asks for itself in an iteration
    /// That an operator of LibTorch allocated and that were in use when most were; calls are
    /// blocks.
    operator_peak_bytes,
    samples,  ///< of where the processor was at even times, in user mode; nothing has calls
};

/// A run's costs.
struct Profile {
    std::int64_t total = 0;           ///< of all functions, also of those that are left out
    std::vector<Function> functions;  ///< the largest max_functions, largest first
    std::int64_t unnamed = 0;         ///< own cost that has no name: the product is stripped
    CostUnit unit = CostUnit::instructions;
    std::int64_t allocated = 0;  ///< of peak_bytes: bytes that were asked for in the whole run
    std::vector<std::string> frames =
        {};                          ///< names in `stacks`, in the order in which they name them
    std::vector<Stack> stacks = {};  ///< the largest max_stacks; none where a profiler has none
    bool is_marked = false;          ///< of what the benchmark marks alone, not of its whole run
    int cut_after_s = 0;             ///< the run was ended then; 0: it ended by itself
    std::int64_t iterations = 0;     ///< that were counted; of samples runs; 0: not known
    std::string interpreter = {};    ///< that ran most of it; empty: none did
    bool lacks_avx512 = false;       ///< the machine has it, and valgrind's has not
    /// Of operators: the same run in CostUnit::operator_peak_bytes, the largest max_functions;
    /// `libraries` are the operators that called them. Empty: not known.
    std::vector<Function> memory = {};
    friend bool operator==(const Profile&, const Profile&) = default;
    template <class Io>
    friend void fields(Io& io, Profile& one) {
        io(one.total, one.functions, one.unnamed, one.unit, one.allocated, one.frames, one.stacks);
        io(one.is_marked, one.cut_after_s, one.iterations, one.interpreter, one.lacks_avx512);
        io(one.memory);
    }
};

inline constexpr std::size_t max_functions = 2000;
inline constexpr std::size_t max_shapes = 8;  ///< of one operator
inline constexpr std::size_t max_stacks = 2000;
inline constexpr std::size_t max_stack_frames = 64;  ///< of one stack; the outermost

/// The name without what a compiler adds to it when it makes a copy of a function, and without
/// hashes that differ from build to build: "f [clone .isra.0]", "f.part.3", "f'2" and
/// "f::h0123456789abcdef" are "f".
std::string plain_name(std::string_view name);

/// A demangled name without parameters, template arguments and what is returned: "shop::fill" of
/// "void shop::fill<int>(std::vector<int>&)". Linear in its length.
std::string bare_name(std::string_view name);

/// The same without the scopes around it: "fill". Inlined functions have no other name.
std::string short_name(std::string_view name);

}  // namespace vigil::profile
