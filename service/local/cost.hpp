#pragma once

#include <span>
#include <string>

#include "service/local/story.hpp"

namespace vigil::local {

/// What a search took.
struct Cost {
    int runs = 0;
    int runs_failed = 0;
    int builds = 0;
    int builds_failed = 0;
    double seconds = 0;           ///< of building and measuring, and of:
    double handling_seconds = 0;  ///< checking commits out, and keeping what was built
};

/// @param inside  searches inside of merges, to be counted with it
Cost cost_of(const Story& story, std::span<const Found> inside = {});

/// "34 runs, 7 builds (1 failed), 2 min 10 s of building and measuring".
std::string cost_text(const Cost& cost);

}  // namespace vigil::local
