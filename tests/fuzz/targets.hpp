#pragma once

#include <span>
#include <string_view>

// What is fuzzed: whatever the text, a reader returns or throws Error, and takes no more memory
// than its budget.

namespace vigil::fuzz {

struct FuzzTarget {
    const char* name;
    /// Aborts where the promise is broken; another exception than Error is one.
    void (*run)(std::string_view text);
    const char* corpora[3];  ///< folders below tests/data; null: no more
};

std::span<const FuzzTarget> fuzz_targets();

}  // namespace vigil::fuzz
