#include "service/local/level_rows.hpp"

#include <cmath>
#include <map>
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

std::vector<MeasuredLevel> level_rows(const Story& story, const search::Decision& decision) {
    const auto problem = story.problem();
    const auto facts = story.facts();
    const auto levels = search::fit_levels(problem, facts, 0);
    const search::Line line(problem, facts);
    std::set<int> commits{0, story.last()};
    for (const auto& run : levels.runs) commits.insert(run.commit);
    for (const auto& ending : decision.endings) add_named(ending, commits);
    for (const auto& further : decision.further) add_named(further, commits);
    std::vector<MeasuredLevel> rows;
    std::map<int, int> first_of;  // by place
    for (const int commit : commits) {
        const auto* level = levels.of(line.place(commit));
        if (level == nullptr) continue;
        const auto [first, is_first] = first_of.emplace(level->place, commit);
        rows.push_back(
            {commit,
             change_at(story, levels, level->above),
             value_at(story, levels, level->above),
             level->runs,
             is_first ? std::nullopt : std::optional(first->second)});
    }
    return rows;
}

std::vector<LevelDot> level_dots(const Story& story) {
    const auto levels = search::fit_levels(story.problem(), story.facts(), 0);
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
