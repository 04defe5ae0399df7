#include "service/watch/confirm/unconfirmed.hpp"

#include <utility>

#include "service/store/alone.hpp"
#include "service/store/series/sessions.hpp"
#include "service/watch/series/suspicions.hpp"

namespace vigil::service {

namespace {

/// What the nights say; no runs stand behind it.
Comparison by_nights(const OpenSuspicion& suspicion) {
    Comparison seen;
    seen.before = suspicion.base;
    seen.after = suspicion.value;
    seen.change_ratio = seen.low = seen.high = suspicion.change_ratio;
    seen.above = suspicion.chance;
    return seen;
}

}  // namespace

void end_unconfirmed(
    Database& db, const OpenSuspicion& suspicion, const std::string& why, std::int64_t now_s) {
    auto record = load_asking(db, suspicion);
    if (!record) {
        const SuspicionEnd end{.verdict = Verdict::unconfirmed, .reason = why};
        return end_suspicion(db, suspicion, end, now_s);
    }
    const bool is_back = record->question->asked == detect::Asked::recovered;
    const auto verdict = is_back ? Verdict::fixed : Verdict::unconfirmed;
    detect::SessionWord word;
    word.answer = detect::answer_without_runs(*record, verdict);
    word.comparison = by_nights(suspicion);
    word.reason = is_back ? "back at its level, by its nights alone" : why;
    answer_suspicion(db, suspicion, std::move(*record), word, now_s);
}

void end_unconfirmed(Database& db, NightlyId nightly, std::int64_t now_s) {
    for (const auto& suspicion : list_unended(db, nightly)) {
        const auto trouble = try_alone(db, [&] {
            end_unconfirmed(db, suspicion, "not confirmed: cannot be measured here", now_s);
        });
        if (trouble) leave_suspicion(db, suspicion, "it cannot be judged: " + *trouble, now_s);
    }
    end_all_sessions(db, nightly);  // of a callback that the config has no longer
}

}  // namespace vigil::service
