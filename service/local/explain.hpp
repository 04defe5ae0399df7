#pragma once

#include <string>
#include <vector>

#include "bisect/search/search.hpp"
#include "service/local/log_entry.hpp"
#include "service/local/story.hpp"

// A log read again. Pure functions.

namespace vigil::local {

/// The search asked anew, from the same lines.
struct SearchReplay : SearchAccount {
    int steps = 0;  ///< times that the search was asked
    /// What the search of this program would have asked otherwise, or ended otherwise; empty: the
    /// log replays to the same answer.
    std::string difference;
};

/// @throws Error{invalid_argument} when the lines are no log
SearchReplay replay(const std::vector<LogEntry>& entries);

/// Step by step: what was asked and why, what was seen, and what was believed then.
/// @param width  of the chart of probabilities
std::string explain(const std::vector<LogEntry>& entries, std::size_t width);

}  // namespace vigil::local
