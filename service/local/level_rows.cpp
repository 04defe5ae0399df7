#include "service/local/level_rows.hpp"

#include <set>

#include <nlohmann/json.hpp>

namespace vigil::local {

double value_at(const Story& story, const search::FittedLevels& levels, double above) {
    return levels.value_at(above, search::sought_direction(story.problem().series.front()));
}

double change_at(const Story& story, const search::FittedLevels& levels, double above) {
    return change_ratio(
        value_at(story, levels, 0), value_at(story, levels, above), story.order().direction);
}

namespace {

void add_named(const search::SeriesEnding& ending, std::set<int>& commits) {
    if (ending.ending != search::Ending::culprit) return;
    commits.insert({ending.parent, ending.last});
}

}  // namespace

LevelsOfStory fit_levels(const Story& story) {
    const auto problem = story.problem();
    const auto facts = story.facts();
    return {search::fit_levels(problem, facts, 0), search::Line(problem, facts)};
}

std::vector<MeasuredLevel> level_rows(const Story& story, const search::Decision& decision) {
    const auto [levels, line] = fit_levels(story);
    std::set<int> named;
    for (const auto& ending : decision.endings) add_named(ending, named);
    for (const auto& further : decision.further) add_named(further, named);
    std::vector<MeasuredLevel> rows;
    for (const auto& one : search::commit_levels(levels, line, named)) {
        const double value = value_at(story, levels, one.above);
        rows.push_back(
            {one.commit, change_at(story, levels, one.above), value, one.runs, one.same_as});
    }
    return rows;
}

std::vector<LevelDot> level_dots(const Story& story) {
    const auto levels = fit_levels(story).levels;
    std::vector<LevelDot> dots;
    for (const auto& run : levels.runs) {
        dots.push_back({run.commit, value_at(story, levels, run.above)});
    }
    return dots;
}

nlohmann::json levels_json(const Story& story, const search::Decision& decision) {
    auto rows = nlohmann::json::array();
    for (const auto& row : level_rows(story, decision)) {
        nlohmann::json one = {
            {"number", row.commit},
            {"revision", story.revision(row.commit).str()},
            {"change_ratio", row.change_ratio},
            {"runs", row.runs}};
        if (row.same_as) one["same_product_as"] = story.revision(*row.same_as).str();
        rows.push_back(std::move(one));
    }
    return rows;
}

}  // namespace vigil::local
