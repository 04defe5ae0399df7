#pragma once

#include <string>

namespace vigil_bench {

/// Where this process's address space is limited (ulimit -v): whether enough of it is left to
/// compute anything. OpenBLAS without room for its buffer does not fail, it waits for ever.
/// @return  why not; empty: there is enough, or no limit
std::string find_too_little_memory();

/// Whether there is such a limit at all.
bool has_limited_address_space();

}  // namespace vigil_bench
