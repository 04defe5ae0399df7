#pragma once

#include <span>
#include <string>

namespace vigil::detect {

// When many unrelated series of one machine move in one night, the machine is asked first: the old
// build of a few of them is measured again. Moves are logs against the baseline, up is worse.

/// Whether a night's moves look like one cause for all: 15 % of the series are suspicious, and 8 at
/// least; or the middle one of 20 or more moved by 2 %.
/// @param moves       of all series of the machine whose nights can tell
/// @param suspicious  how many of them are
bool looks_like_storm(std::span<const double> moves, int suspicious);

/// One series of a storm.
struct Remeasured {
    double night = 0;      ///< how far tonight's build lies from the baseline; not 0
    double old_again = 0;  ///< how far the old build does, measured again
};

enum class StormCause {
    environment,  ///< the old builds moved too
    code,         ///< they did not
    mixed,        ///< neither can be said
};

struct StormJudgement {
    StormCause cause = StormCause::mixed;
    double moved = 0;    ///< the old builds' move: middle of the series
    std::string reason;  ///< one line, for a person
};

/// @param series  not empty
/// @source  docs/confirmation.md, "When a machine moves"
StormJudgement judge_storm(std::span<const Remeasured> series);

}  // namespace vigil::detect
