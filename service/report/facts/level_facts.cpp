#include <algorithm>
#include <set>

#include "schema/model/error.hpp"
#include "service/report/facts/search_facts.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/watch/search/bisection_facts.hpp"

namespace vigil::service {

namespace {

void load_fitted(Database& db, BisectionId bisection, RegressionFacts& facts) {
    const auto row = load_bisection(db, bisection);
    const auto read = read_bisection(db, row);
    const auto seen = read.driver.facts();
    const search::Line line(read.problem, seen);
    std::set<int> named;
    for (const auto& ending : facts.endings) {
        const bool known = ending.parent >= 0 && ending.last <= read.problem.suspects;
        if (ending.culprit && known) named.insert({ending.parent, ending.last});
    }
    const auto searched = std::min(row.settings.series.size(), read.problem.series.size());
    for (std::size_t index = 0; index < searched; ++index) {
        const int series = find_series(facts, row.settings.series[index]);
        if (series < 0) continue;  // another regression's, after a split
        const auto levels = search::fit_levels(read.problem, seen, static_cast<int>(index));
        facts.levels[static_cast<std::size_t>(series)] = search::commit_levels(levels, line, named);
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
