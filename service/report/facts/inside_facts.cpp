#include <algorithm>

#include "service/report/facts/search_facts.hpp"
#include "service/source/words.hpp"
#include "service/store/findings/bisections.hpp"

namespace vigil::service {

namespace {

/// How a search ended for the first of the regression's series that it had; nullptr: for none.
const search::SeriesEnding* find_first_ending(
    const RegressionFacts& facts,
    const BisectionSettings& settings,
    const BisectionConclusion& conclusion,
    const std::vector<Revision>& line,
    const Revision& wanted) {
    for (std::size_t index = 0; index < settings.series.size(); ++index) {
        if (find_series(facts, settings.series[index]) < 0) continue;
        const auto* ending = find_ending(conclusion, int(index), line, wanted);
        if (ending != nullptr) return ending;
    }
    return nullptr;
}

/// @param named  what it named for the regression; empty: nothing
void describe_ending(
    Database& db, const Revision& named, const RegressionFacts& facts, InsideFact& in) {
    const auto search = find_search_records(db, in.id);
    VIGIL_ASSERT(search.has_value());
    const auto& [settings, conclusion] = *search;
    const auto line = list_line(db, in.id);
    const auto* ending = find_first_ending(facts, settings, conclusion, line, named);
    in.said = without_paths(conclusion.summary);  // of one that failed: why
    if (ending == nullptr) return;
    in.said = ending->reason;
    if (!in.dependency.empty()) {
        if (ending->ending != search::Ending::culprit) return;
        in.named = find_dependency_commit(db, in.id, ending->first);
        in.change_ratio = ending->verified.runs_after > 0 ? ending->verified.change_ratio : 0;
    } else if (ending->ending == search::Ending::range) {
        for (int i = ending->first; i <= ending->last; ++i)
            in.left.push_back(line.at(std::size_t(i)));
    } else if (ending->ending == search::Ending::not_reproduced) {
        in.said.insert(0, "its commits do not show the change alone: ");
    }
}

/// Bisections inside of one merge, up to the parent that led on.
/// @param named  by the one that led on
void load_merge(
    Database& db,
    BisectionId outer,
    const Revision& merge,
    std::optional<BisectionId> led,
    const Revision& named,
    RegressionFacts& facts) {
    for (auto& row : list_reported_inside(db, outer, merge, led)) {
        const bool leads = led && row.id == *led;
        InsideFact in{std::move(row), merge, leads};
        describe_ending(db, in.led ? named : Revision{}, facts, in);
        facts.insides.push_back(std::move(in));
    }
}

}  // namespace

const search::SeriesEnding* find_ending(
    const BisectionConclusion& conclusion,
    int series,
    const std::vector<Revision>& line,
    const Revision& wanted) {
    const search::SeriesEnding* first = nullptr;
    for (const auto* endings : {&conclusion.endings, &conclusion.further}) {
        for (const auto& ending : *endings) {
            if (ending.series != series) continue;
            if (first == nullptr) first = &ending;
            const auto at = static_cast<std::size_t>(ending.first);
            if (ending.first >= 0 && at < line.size() && line[at] == wanted) return &ending;
        }
    }
    return first;
}

void load_insides(Database& db, BisectionId answering, RegressionFacts& facts) {
    const auto way = list_way_in(db, answering);  // innermost first
    for (std::size_t i = way.size(); i-- > 0;) {
        const auto bisection = i == 0 ? answering : way[i - 1].outer;
        const auto named = i == 0 ? facts.culprit.value_or(Revision{}) : way[i - 1].merge;
        load_merge(db, way[i].outer, way[i].merge, bisection, named, facts);
    }
    if (facts.culprit) load_merge(db, answering, *facts.culprit, std::nullopt, {}, facts);
    const auto outermost = way.empty() ? answering : way.back().outer;
    facts.nights = find_reported_nights(db, outermost);
    const auto begins = find_begin(db, outermost);
    if (begins && !facts.nights && *begins != facts.good.revision) facts.parted_at = begins;
    const auto line = list_line(db, outermost);
    facts.line_commits = std::max<std::int64_t>(std::ssize(line) - 1, 0);
}

}  // namespace vigil::service
