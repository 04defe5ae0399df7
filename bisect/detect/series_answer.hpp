#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bisect/detect/series_loop.hpp"
#include "bisect/detect/session.hpp"

// The second half of a series' loop: the runs that tonight's question is asked with, and what its
// answer changes.

namespace vigil::detect {

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
/// values, `environment` where the machine moved, `noise` where both builds are one, `unconfirmed`
/// where nothing can be measured again.
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

}  // namespace vigil::detect
