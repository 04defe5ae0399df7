#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "service/report/facts/night_facts.hpp"
#include "service/report/render/render_regression.hpp"
#include "service/store/findings/weeks.hpp"
#include "service/store/troubles.hpp"

namespace vigil::service {

struct ImprovementFact : WeeksImprovement {
    CommitsBetween commits = {};
};

/// Something that waits for a person's decision.
struct WeekDecision {
    std::string subject;  ///< "regression/7", "series/3", "project/json"
    std::string words;    ///< what it is, and what may be decided; one line, a stranger's text
};

/// What the summary of a week says.
struct WeekFacts {
    Links links;
    std::string marker;  ///< empty: it is nobody's message
    std::string project;
    std::int64_t since_s = 0;  ///< UTC
    std::int64_t until_s = 0;
    std::int64_t answer_due_s = 0;                   ///< after which an answer is late; 0: none is
    std::vector<WeeksRegression> regressions;        ///< oldest first
    std::vector<ImprovementFact> improvements = {};  ///< oldest first
    std::vector<EndingMute> mutes = {};              ///< that end within the next week
    std::vector<Trouble> troubles = {};              ///< open ones of the project
    std::map<Purpose, std::int64_t> machine_s = {};  ///< that workers spent on what was asked for
    PrecisionFacts precision;                        ///< how well the service itself did
};

/// "Ada and Grace", "Ada, Grace, Alan and 4 more"; empty: nobody is known. A stranger's text, as
/// words of a sentence.
std::string author_words(const std::vector<std::string>& authors);

/// "49 h 12 min (40 h 02 min for nights, ...)"; the purposes that took any.
std::string machine_time_words(const std::map<Purpose, std::int64_t>& machine_s);

/// Whether a regression is open and should have an answer by now.
bool is_answer_late(const WeekFacts& facts, const WeeksRegression& one);

/// What is to be decided: answers that are late, mutes that end, troubles. A pure function.
std::vector<WeekDecision> decisions_of(const WeekFacts& facts);

/// A pure function.
Document render_week(const WeekFacts& facts);

}  // namespace vigil::service
