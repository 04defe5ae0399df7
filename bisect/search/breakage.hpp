#pragma once

#include <optional>
#include <span>

// The search for the commit that breaks the build: a build works or it does not, so nothing is
// measured and no statistics are needed. A pure function of what was built.

namespace vigil::search {

/// What came of building one commit.
struct BuildTries {
    bool built = false;
    int failures = 0;
};

constexpr int tries_of_a_build = 2;  ///< a commit is called broken when it failed so often

enum class Breakage {
    open,      ///< the search goes on
    commit,    ///< it is known which commit breaks the build
    none,      ///< the bad end is built after all: it failed for a passing reason
    elsewhere  ///< the good end fails as well: no commit of the range did it
};

struct BreakageStep {
    Breakage state = Breakage::open;
    int commit = 0;  ///< open: what to build next; commit: which one breaks the build
};

/// What to build next, or what is known. Halves what lies between the newest commit that is built
/// and the first after it that failed; one failure is enough to go on, the answer has failed twice
/// and follows a commit that is built.
/// @param commits  [n] n >= 2; 0 is the good end, the last is the bad one
BreakageStep next_build(std::span<const BuildTries> commits);

}  // namespace vigil::search
