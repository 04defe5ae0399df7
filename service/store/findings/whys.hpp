#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "schema/profile/why.hpp"
#include "service/store/database.hpp"
#include "service/store/row.hpp"

// The table `why`: which functions of a regression's culprit execute more than its parent's.

namespace vigil::service {

/// `why.found`
template <>
struct TextColumn<profile::Why> {
    static std::string text(const profile::Why& why);
    static profile::Why parse(std::string_view text);
};

struct RegressionWhy {
    RegressionId regression;
    WhyState state = WhyState::listing;
    Revision culprit;
    bool by_hand = false;
    std::optional<JobId> job;        ///< that profiles both
    std::optional<SeriesId> series;  ///< whose benchmark it profiles
    std::optional<profile::Why> found;
    std::string message;     ///< why nothing is known
    bool has_flame = false;  ///< see find_flame
    int interruptions = 0;   ///< so often its job ended for what is measured
};

std::optional<RegressionWhy> find_why(Database& db, RegressionId regression);

/// Those that wait, or whose job was claimed, in the order of the regressions. Of each project so
/// many at most; what waits for the day's budget comes last.
std::vector<RegressionWhy> list_open_whys(Database& db, int limit);

/// Asks once for each culprit of a regression; a person may ask again.
/// @return  whether it is asked now
/// @throws Error{conflict} where a person asks and it goes on
bool ask_why(
    Database& db,
    RegressionId regression,
    const Revision& culprit,
    bool by_hand,
    std::int64_t now_s);

/// Nothing is asked any more.
void remove_why(Database& db, RegressionId regression);

/// A culprit whose changed files the git lane has to list.
struct MissingTouched {
    RegressionId regression;
    Revision culprit;
};
std::vector<MissingTouched> list_missing_touched(Database& db, int limit, ProjectId project);
void note_touched(Database& db, RegressionId regression, const std::set<std::string>& files);
std::set<std::string> load_touched(Database& db, RegressionId regression);

void begin_why(
    Database& db, RegressionId regression, SeriesId series, JobId job, std::int64_t now_s);

/// Its job was ended for what is measured: it waits for another.
void interrupt_why(Database& db, RegressionId regression);

/// What profiles say.
struct WhyAnswer {
    std::optional<profile::Why> found;
    std::string why_none = {};  ///< one sentence; empty where something was found
    std::string flame = {};     ///< SVG; empty: the profiler has no true stacks
};

/// Event "regression.why".
void end_why(Database& db, RegressionId regression, const WhyAnswer& answer, std::int64_t now_s);

/// The stacks of both sides as SVG; nothing where there are none.
std::optional<std::string> find_flame(Database& db, RegressionId regression);

/// How many culprits of a project were profiled since a time, those by hand not counted.
int count_whys_since(Database& db, ProjectId project, std::int64_t since_s);

}  // namespace vigil::service
