#pragma once

#include <cstdint>
#include <string>

#include "schema/model/recipe.hpp"

// What the programs of this machine say.

namespace vigil::worker {

/// The versions of compiler, linker, build tools, C library and LibTorch, one a line. Its digest
/// keys the products: equal texts make equal products from equal sources.
std::string toolchain_text();

/// What a program prints, empty when it cannot be run or fails within ten seconds.
/// @param arguments   element 0 is a path
/// @param most_bytes  that are kept
std::string printed_by(const Command& arguments, std::int64_t most_bytes);

/// The first line of it.
std::string output_of(const Command& arguments);

}  // namespace vigil::worker
