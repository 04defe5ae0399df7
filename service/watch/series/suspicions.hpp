#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "service/config/config.hpp"
#include "service/store/series/suspicions.hpp"

// The questions that series raise, and their answers: rows, and what the loops remember of them.

namespace vigil::service {

/// Writes down what a night asks, and tells of it. The record holds the question.
OpenSuspicion open_suspicion(
    Database& db,
    const SeriesRow& series,
    NightlyId nightly,
    const detect::NightWord& word,
    const detect::Question& question,
    std::int64_t now_s);

/// The series' record that holds its question. Nothing: no loop follows it, for it is about an
/// outcome, or its record was made anew without it.
std::optional<detect::SeriesRecord> load_asking(Database& db, const OpenSuspicion& suspicion);

/// Ends it with the loop's answer: the row, the record, the level that begins, an event.
/// @param record  that holds its question
/// @param word    the reason is added to why it was opened
/// @param waits   why it got no runs, or too few; empty: it had its turn
void answer_suspicion(
    Database& db,
    const OpenSuspicion& suspicion,
    detect::SeriesRecord record,
    const detect::SessionWord& word,
    std::int64_t now_s,
    const std::string& waits = "");

/// The same as `watch`, by what the record says without a session; the row alone where no record
/// holds its question.
void leave_suspicion(
    Database& db,
    const OpenSuspicion& suspicion,
    const std::string& reason,
    std::int64_t now_s,
    const std::string& waits = "");

}  // namespace vigil::service
