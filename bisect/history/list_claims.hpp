#pragma once

#include <string>

#include "bisect/history/fixed.hpp"

namespace vigil::history {

/// The commits between two revisions and what their texts claim.
struct ClaimedRange {
    /// Oldest first; what a merge brought stands before it. At most `most_claiming`: where there
    /// are more, those that claim nothing are left out.
    std::vector<ClaimingCommit> commits;
    std::int64_t line_commits = 0;    ///< of the line of first parents
    std::int64_t unread_commits = 0;  ///< whose texts were not read: they were too many
    bool rewritten = false;           ///< the line was rewritten: `bad` is not on it any more
};

inline constexpr std::size_t most_claiming = 1000;

/// What the line has after `bad`, up to and with `fixed`, with what came in by its merges.
/// @param most_read  texts; beyond, the oldest are not read
/// @throws as list_range
ClaimedRange list_claims(
    const std::string& repository,
    const Revision& bad,
    const Revision& fixed,
    std::size_t most_read = 20'000);

}  // namespace vigil::history
