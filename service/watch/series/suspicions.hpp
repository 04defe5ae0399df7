#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bisect/detect/series_loop.hpp"
#include "service/config/config.hpp"
#include "service/store/series/values.hpp"

// The questions that series raise, and their answers, as rows.

namespace vigil::service {

/// Writes down what a night asks, and tells of it. The record holds the question.
SuspicionId open_suspicion(
    Database& db,
    const SeriesRow& series,
    NightlyId nightly,
    const detect::NightWord& word,
    const detect::Question& question,
    std::int64_t now_s);

/// One that has not ended.
struct OpenSuspicion {
    SuspicionId id;
    SeriesId series;
    NightlyId nightly;
    NightlyId good_nightly;
    std::optional<SessionId> session;
    bool by_outcome = false;  ///< it no longer runs: no question of the loop
};

/// All of a night that have not ended: those without a session, then session by session.
std::vector<OpenSuspicion> list_unended(Database& db, NightlyId nightly);

/// Ends it with the loop's answer: the row, the record, the level that begins, an event. One whose
/// question the record does not hold (an older version opened it) ends as `watch`.
/// @param comparison  of its session, if it had one
/// @param reason      in words, added to why it was opened
/// @param waits       why it got no runs, or too few; empty: it had its turn
void end_suspicion(
    Database& db,
    const OpenSuspicion& suspicion,
    const detect::Answer& answer,
    const Comparison& comparison,
    const std::string& reason,
    std::int64_t now_s,
    const std::string& waits = "");

/// Ends one of an outcome, which no loop follows.
void end_outcome(
    Database& db,
    const OpenSuspicion& suspicion,
    Verdict verdict,
    const Comparison& comparison,
    const std::string& reason,
    std::int64_t now_s);

/// The answer of one that gets no session, by the question that its record holds; nothing when it
/// holds none.
std::optional<detect::Answer> answer_unasked(
    Database& db, const OpenSuspicion& suspicion, Verdict verdict);

}  // namespace vigil::service
