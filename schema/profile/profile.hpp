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
    bool is_own = true;                  ///< false: of a library, or of the system
    std::vector<NamedCost> libraries;    ///< the largest three that `cost` has of libraries
    std::vector<std::string> called_by;  ///< names of own functions; the largest eight
    friend bool operator==(const Function&, const Function&) = default;
    template <class Io>
    friend void fields(Io& io, Function& one) {
        io(one.name, one.file, one.cost, one.calls, one.is_own, one.libraries, one.called_by);
    }
};

/// A run's costs in instructions.
struct Profile {
    std::int64_t total = 0;           ///< of all functions, also of those that are left out
    std::vector<Function> functions;  ///< the largest max_functions, largest first
    std::int64_t unnamed = 0;         ///< own cost that has no name: the product is stripped
    friend bool operator==(const Profile&, const Profile&) = default;
    template <class Io>
    friend void fields(Io& io, Profile& one) {
        io(one.total, one.functions, one.unnamed);
    }
};

inline constexpr std::size_t max_functions = 2000;

/// The name without what a compiler adds to it when it makes a copy of a function, and without
/// hashes that differ from build to build: "f [clone .isra.0]", "f.part.3", "f'2" and
/// "f::h0123456789abcdef" are "f".
std::string plain_name(std::string_view name);

}  // namespace vigil::profile
