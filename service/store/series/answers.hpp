#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "bisect/detect/series_answer.hpp"
#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// What the loop of a series was told: the column suspicion.answer, and what old_suspicion keeps.

namespace vigil::service {

/// A suspicion that ended, as far as its answer goes.
struct AnswerRow {
    std::int64_t night = 0;
    std::string text;  ///< empty: the loop was told nothing, what follows counts
    Verdict verdict = Verdict::watch;
    detect::Asked asked = detect::Asked::worse;
    std::int64_t old_night = 0;
    bool is_creep = false;
    bool is_measured = false;
    double moved = 0;
};
/// Its columns, in this order, of suspicion AS u.
inline constexpr const char* answer_columns =
    "u.nightly_id, u.answer, u.verdict, u.asked, u.good_nightly_id, u.creep, "
    "u.session_id IS NOT NULL, u.moved";

/// @throws Error{invalid_argument} when its text cannot be read
detect::Answer answer_of(const AnswerRow& row);

/// As suspicion.answer has it.
std::string text_of(const detect::Answer& answer);

/// What the loop of a series was told, by night. Of what ended without the loop only the
/// verdict is known.
/// @throws Error when one cannot be read
std::map<std::int64_t, detect::Answer> load_answers(Database& db, SeriesId series);

}  // namespace vigil::service
