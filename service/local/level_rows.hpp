#pragma once

#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bisect/search/levels.hpp"
#include "service/local/story.hpp"

namespace vigil::local {

struct LevelsOfStory {
    search::FittedLevels levels;
    search::Line line;
};
LevelsOfStory fit_levels(const Story& story);

/// A measured commit as reports show it, adjusted for machine drift.
struct MeasuredLevel {
    int commit = 0;
    double change_ratio = 0;          ///< how much worse than the good end
    double value = 0;                 ///< in the metric's unit
    int runs = 0;                     ///< of its product
    std::optional<int> same_as = {};  ///< an earlier row's commit with the same product
};

/// Every commit that was measured, and always the culprits and what they were verified against;
/// oldest first. Pure.
std::vector<MeasuredLevel> level_rows(const Story& story, const search::Decision& decision);

/// A run as a value of the metric.
struct LevelDot {
    int commit = 0;
    double value = 0;  ///< in the metric's unit, without what its session met
};
std::vector<LevelDot> level_dots(const Story& story);

/// The value of a level. @param above  the good end's, log, up is what is sought
double value_at(const Story& story, const search::FittedLevels& levels, double above);
/// How much worse than the good end that is.
double change_at(const Story& story, const search::FittedLevels& levels, double above);

nlohmann::json levels_json(const Story& story, const search::Decision& decision);

}  // namespace vigil::local
