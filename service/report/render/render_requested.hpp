#pragma once

#include <string>

#include "service/report/facts/requested_facts.hpp"

// What came of a request, as the thread that asked for it is told. Pure functions; Markdown that
// ends with a line break.

namespace vigil::service {

/// How the two builds of a comparison stand.
enum class ComparedAs {
    worse,   ///< at least one series is, beyond its threshold, or no longer runs
    same,    ///< none is
    unknown  ///< not all of it was decided
};
/// @param facts  of a request that is over
ComparedAs compared_as(const RequestedFacts& facts);

/// "2 of 12 series are worse; 1 is better", without a full stop.
std::string compared_words(const RequestedFacts& facts);

/// The table of what changed, folded what did not, what was not judged and why.
std::string compared_table(const RequestedFacts& facts);

/// "Measured: `1a2b3c4d5e` against `5e4d3c2b1a`, ... 96 runs, request 12."
std::string measured_words(const RequestedFacts& facts);

/// The whole comment of a request that a command asked for.
std::string render_requested(const RequestedFacts& facts);

}  // namespace vigil::service
