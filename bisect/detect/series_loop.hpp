#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bisect/detect/series_record.hpp"
#include "bisect/trend/level_watch.hpp"

// The closed loop of one series: a remembered record and an event give the next record and what it
// wishes. Its shells (the ledger, `vigil confirm --stdio`, the benches) fetch, store, schedule and
// budget; they hold no rule of it. docs/detection.md has its model.

namespace vigil::detect {

struct LoopRules {
    Direction direction = Direction::lower_is_better;
    MetricKind kind = MetricKind::time;
    /// Builds that are compared measure in turns: nights tell neither noise nor level of a session.
    bool in_turns = false;
    int max_blocks = 16;  ///< of a session
    BarRules bar = {};

    double threshold() const { return bar.threshold; }
    /// Whether runs of nights and of sessions are of one kind.
    bool nights_compare() const { return !in_turns || kind != MetricKind::time; }
};

/// A filed regression that has not recovered.
struct OpenRegression {
    std::int64_t key = 0;         ///< the shell's
    std::int64_t good_night = 0;  ///< its good build
    double before = 0;            ///< badness of the level before it
    double after = 0;             ///< and with it
};

struct PinnedNight {
    std::int64_t id = 0;
    double value = 0;  ///< metric's unit, > 0
};

/// Tonight.
struct LoopNight {
    std::int64_t id = 0;                        ///< larger than any before
    std::span<const double> runs;               ///< [r] metric's unit, each > 0, r >= 1
    std::span<const OpenRegression> open = {};  ///< of this series
    std::optional<PinnedNight> pinned = {};     ///< counts where it is of the current level
};

/// What tonight says.
struct NightWord {
    bool asks = false;         ///< the record holds a question for a session
    bool is_optional = false;  ///< asked only because the nights cannot tell: see decline()
    bool lapsed = false;       ///< what waited for its turn looks calm and is let go of
    bool is_first = false;     ///< of its level: there is nothing to compare with
    bool nights_tell = false;  ///< there are enough nights, quiet enough
    bool stands_out = false;   ///< tonight alone lies beyond the bar, whatever explains it
    /// Where nights_tell: whose build is the newest at the usual level, as a session takes it.
    std::int64_t usual_night = 0;
    BarCheck bar = {};        ///< what it was held against; not where it is_first
    double base = 0;          ///< usual level, metric's unit
    double value = 0;         ///< tonight's
    double change_ratio = 0;  ///< value against base
    double moved = 0;         ///< tonight over what is usual, log; of what waited, the mean
    double chance = 0;        ///< of a true change above the threshold
    int waited = 0;           ///< nights without a turn
    double score = 0;         ///< suspicion by the shape, nats
    /// The likeliest first night of what the shape suspects, and its plausible range; ids.
    std::optional<std::int64_t> since, earliest, latest;
    std::string reason;  ///< of a question, for a person
    /// The machine moved the night before, as its session said, and tonight shows that it stayed.
    std::optional<std::int64_t> new_level;
};

/// Takes tonight's values. A question that is open lapses.
/// @throws Error{invalid_argument} on values below 0, a time of 0, no values, or an old id
NightWord take_night(SeriesRecord& record, const LoopRules& rules, const LoopNight& night);

/// An optional question gets no turn tonight: nothing was asked.
void decline(SeriesRecord& record);

/// The values of the current level's nights, metric's unit, oldest first, as far as they are
/// remembered.
std::span<const double> level_values(const SeriesRecord& record);

}  // namespace vigil::detect
