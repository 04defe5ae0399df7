#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bisect/search/levels.hpp"
#include "schema/model/error.hpp"
#include "service/report/facts/search_facts.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/watch/search/bisection_facts.hpp"

namespace vigil::service {

namespace {

/// @param always  positions that are told whether or not they were measured themselves
std::vector<LevelFact> level_facts(
    const search::FittedLevels& levels, const search::Line& line, std::set<int> always) {
    for (const auto& run : levels.runs) always.insert(run.commit);
    std::vector<LevelFact> rows;
    std::map<int, int> first_of;  // by place
    for (const int commit : always) {
        const auto* level = levels.of(line.place(commit));
        if (level == nullptr) continue;
        const auto [first, is_first] = first_of.emplace(level->place, commit);
        rows.push_back({commit, std::expm1(level->above), level->runs, {}});
        if (!is_first) rows.back().same_as = first->second;
    }
    return rows;
}

}  // namespace

namespace {

void load_fitted(Database& db, BisectionId bisection, RegressionFacts& facts) {
    const auto row = load_bisection(db, bisection);
    const auto read = read_bisection(db, row);
    const auto seen = read.driver.facts();
    const search::Line line(read.problem, seen);
    std::set<int> always{0, read.problem.suspects};
    for (const auto& ending : facts.endings) {
        const bool known = ending.parent >= 0 && ending.last <= read.problem.suspects;
        if (ending.culprit && known) always.insert({ending.parent, ending.last});
    }
    const auto searched = std::min(row.settings.series.size(), read.problem.series.size());
    for (std::size_t index = 0; index < searched; ++index) {
        const int series = find_series(facts, row.settings.series[index]);
        if (series < 0) continue;  // another regression's, after a split
        const auto levels = search::fit_levels(read.problem, seen, static_cast<int>(index));
        facts.levels[static_cast<std::size_t>(series)] = level_facts(levels, line, always);
    }
}

}  // namespace

void load_levels(Database& db, BisectionId bisection, RegressionFacts& facts) {
    facts.levels.assign(facts.series.size(), {});
    if (facts.suspects.size() < 2) return;
    try {
        load_fitted(db, bisection, facts);
    } catch (const Error&) {  // rows that cannot be followed cost the levels, not the report
        facts.levels.assign(facts.series.size(), {});
    }
}

}  // namespace vigil::service
