#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "service/api/results/night_summary.hpp"
#include "service/pages/common/words.hpp"

// How a night stands, in a few words. Pure functions.

namespace vigil::service {

struct Saying {
    std::string words;
    Mood mood = Mood::quiet;
    std::string_view sign;
};

/// The first thing to say of a night: all clear, what is open, or how far it is.
Saying night_headline(const NightSummary& summary);

/// How far a night's jobs are, and about how long they still take; null where it does not run.
nlohmann::json night_progress(const NightSummary& summary, std::int64_t now_s);

/// A night of a calendar strip.
enum class JudgedNight { yes, no };  ///< no: it was measured afterwards, as history
Saying night_mood(
    std::string_view state, std::int64_t regressions, JudgedNight judged = JudgedNight::yes);

/// Its name, state and times.
nlohmann::json night_view(const ReportedNight& night, std::int64_t now_s);

/// "Jobs: 40 of 96 done" and others, a term and a value each.
nlohmann::json night_facts(const NightSummary& summary);

/// What got better, and by which commit: a row each; null where nothing is told.
nlohmann::json night_improvements(const NightFacts& facts);

/// What the night has spent and has left: a row of the template machines.html.
nlohmann::json night_budget(const NightSummary& summary, std::int64_t now_s);

/// The same as terms and values, for the night's own page.
nlohmann::json night_costs(const NightSummary& summary);

}  // namespace vigil::service
