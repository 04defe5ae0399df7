#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bisect/detect/series_record.hpp"
#include "bisect/detect/session.hpp"
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
    int max_blocks = 16;
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
/// @throws Error{invalid_argument} on values that are not above 0, no values, or an old id
NightWord take_night(SeriesRecord& record, const LoopRules& rules, const LoopNight& night);

/// An optional question gets no turn tonight: nothing was asked.
void decline(SeriesRecord& record);

/// One run of a session that is asked for: of tonight's build, or of an old one.
struct WantedRun {
    Side side = Side::a;
    std::size_t old = 0;  ///< place in Question::old_nights, on side A
};

/// The next runs of a session that has had so many; a whole block, or half of one of the first two.
std::vector<WantedRun> next_runs(const Question& question, std::size_t runs);

/// What a question came to: an event of the series that the ledger keeps.
struct Answer {
    Verdict verdict = Verdict::noise;
    Asked asked = Asked::worse;
    bool is_creep = false;
    bool is_measured = false;  ///< by as many runs as it wanted
    std::vector<std::int64_t> old_nights;
    double moved = 0;               ///< tonight over what is usual, log
    double old_moved = 0;           ///< the old build over it, when measured
    double sum = 0;                 ///< of a creep
    double above = 0;               ///< P(above the threshold)
    SessionEvidence evidence = {};  ///< variance 0: none. One without all its runs may have some
};

/// What the runs of a question's session say so far.
struct SessionWord {
    bool decided = false;  ///< else another block is wanted
    Answer answer;         ///< `watch` while it is not decided
    Comparison comparison;
    std::string reason;  ///< for a person
};

/// @param runs  of the session, in the order they ran
/// @param same_source  both builds are of one revision: what differs is around them
SessionWord judge_question(
    const SeriesRecord& record,
    const LoopRules& rules,
    std::span<const SessionRun> runs,
    bool same_source = false);

/// A question that ends without a session's verdict: `watch` where it got no runs or gave no
/// values, `environment` where the machine moved, `noise` where both builds are one.
Answer answer_without_runs(const SeriesRecord& record, Verdict verdict);

/// A level that begins anew with this night.
struct NewLevel {
    std::int64_t first_night = 0;
    std::string reason;
};

/// Takes the answer to tonight's question.
/// @return  the new level that follows from it
std::optional<NewLevel> take_answer(SeriesRecord& record, const Answer& answer);

/// A level begins with this night, whatever the values say: the machine moved and stayed, or the
/// series is measured in another way. It may be the next one.
/// @param forgets  what earlier nights taught of the noise no longer holds
void start_level(SeriesRecord& record, std::int64_t first_night, bool forgets = false);

/// The values of the current level's nights, metric's unit, oldest first, as far as they are
/// remembered.
std::span<const double> level_values(const SeriesRecord& record);

}  // namespace vigil::detect
