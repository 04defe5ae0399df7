#include "service/watch/search/inside.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "bisect/search/onward.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/watch/search/bisection_facts.hpp"

namespace vigil::service {

namespace {

using Commits = std::vector<SuspectRow>;  // newest first

Commits answer_of(const EndedBisection& ended, const search::SeriesEnding& ending) {
    Commits answer;
    for (int position = ending.last; position >= ending.first; --position) {
        answer.push_back(ended.suspects.at(static_cast<std::size_t>(position)));
    }
    return answer;
}

// What the search that led inside answered: the merge that it named, or the range that the
// regression is left with. Of a search that a person asked for it is the merge.
Commits load_outer_answer(Database& db, const InsideOf& inside) {
    std::vector<Revision> left;
    if (inside.regression) {
        auto regression = load_regression(db, *inside.regression);
        if (!regression.culprit) left = std::move(regression.left);
    }
    auto line = list_suspects(db, inside.outer);
    Commits answer;
    for (auto at = line.rbegin(); at != line.rend() && std::next(at) != line.rend(); ++at) {
        const bool is_left = std::find(left.begin(), left.end(), at->revision) != left.end();
        if (is_left || at->revision == inside.merge) answer.push_back(std::move(*at));
    }
    return answer;
}

std::vector<int> parents_of(const Commits& commits) {
    std::vector<int> parents;
    for (const auto& commit : commits) {
        parents.push_back(1 + static_cast<int>(commit.brought.size()));
    }
    return parents;
}

void begin(
    Database& db,
    const BisectionRow& ended,
    const InsideOf& inside,
    const SuspectRow& merge,
    BisectionSettings settings,
    std::int64_t now_s) {
    const bool of_merge = inside.dependency.empty();
    const NewBisection bisection{
        .project = ended.project,
        .nightly = ended.nightly,
        .kind = ended.kind,
        .good = merge.first_parent,
        .bad = of_merge ? merge.brought.at(static_cast<std::size_t>(inside.parent) - 2)
                        : merge.revision,
        .settings = std::move(settings),
        .inside = inside};
    const auto begun = add_bisection(db, bisection, now_s);
    const auto whose =
        of_merge ? "what parent " + std::to_string(inside.parent) + " of the merge " +
                       merge.revision.brief() + " brought"
                 : "the commits by which " + merge.revision.brief() + " moves " + inside.dependency;
    const auto words =
        whose + ", for " +
        (inside.regression ? "regression " + to_string(*inside.regression) : "whoever asked");
    record_bisection_event(db, begun, "inside", words, now_s);
}

// What a bisection inside inherits; nullopt: nothing is left of the budget.
std::optional<BisectionSettings> inherited(
    Database& db, const EndedBisection& ended, const std::vector<search::SeriesEnding>& endings) {
    const auto read = read_bisection(db, ended.row);
    const auto spent = search::spent_by(read.problem, read.driver.facts());
    const auto inner = search::problem_inside(read.problem, spent, endings);
    if (!search::is_left(inner.budget)) return std::nullopt;
    return settings_inside(ended.row.settings, inner, endings);
}

constexpr const char* is_spent = "the budget is spent";

}  // namespace

BisectionSettings settings_inside(
    const BisectionSettings& outer,
    const search::Problem& inner,
    const std::vector<search::SeriesEnding>& endings) {
    BisectionSettings settings;
    settings.groups = outer.groups;
    settings.specs = inner.series;
    settings.budget = inner.budget;
    settings.costs = inner.costs;
    settings.workers = inner.workers;
    settings.named = outer.named;
    for (const auto& ending : endings) {
        const auto index = settings.series.size();
        const auto before = static_cast<std::size_t>(ending.series);
        settings.series.push_back(outer.series.at(before));
        const bool is_alone = std::ranges::count(outer.alone, ending.series) > 0;
        if (is_alone) settings.alone.push_back(static_cast<int>(index));
        if (!is_by_outcome(outer, ending.series)) continue;
        settings.by_outcome.push_back(static_cast<int>(index));
        settings.specs.at(index) = outer.specs.at(before);  // whether it runs has no size
    }
    return settings;
}

Going go_inside(
    Database& db,
    const EndedBisection& ended,
    std::optional<RegressionId> regression,
    const std::vector<search::SeriesEnding>& endings,
    std::int64_t now_s) {
    const auto& ending = endings.front();
    const auto& inside = ended.row.inside;
    const auto answer = answer_of(ended, ending);
    search::FinishedSearch seen{
        .ending = ending.ending,
        .verified = ending.verified.runs_after > 0,
        .answer = parents_of(answer),
        .depth = 1 + static_cast<int>(list_way_in(db, ended.row.id).size())};
    Commits outer;
    if (inside) {
        outer = load_outer_answer(db, *inside);
        seen.outer = parents_of(outer);
        const auto merge = std::find_if(outer.begin(), outer.end(), [&](const auto& one) {
            return one.revision == inside->merge;
        });
        seen.door = {static_cast<int>(merge - outer.begin()), inside->parent};
        // Series that are searched together go on together.
        for (const auto& one : endings) {
            if (one.ending == search::Ending::not_reproduced) seen.ending = one.ending;
        }
    }
    const auto onward = search::onward(seen);
    if (!onward) return {};
    auto settings = inherited(db, ended, endings);
    if (!settings) return {false, is_spent};
    const auto& merges = onward->deeper ? answer : outer;
    const auto& merge = merges.at(static_cast<std::size_t>(onward->door.merge));
    const InsideOf next{
        onward->deeper ? ended.row.id : inside->outer,
        merge.revision,
        onward->door.parent,
        regression};
    begin(db, ended.row, next, merge, std::move(*settings), now_s);
    return {true, ""};
}

Going go_into_dependency(
    Database& db,
    const EndedBisection& ended,
    std::optional<RegressionId> regression,
    const std::vector<search::SeriesEnding>& endings,
    std::int64_t now_s) {
    const auto& ending = endings.front();
    if (ending.ending != search::Ending::culprit) return {};
    const auto& culprit = ended.suspects.at(static_cast<std::size_t>(ending.first));
    if (culprit.dependency.empty()) return {};
    auto settings = inherited(db, ended, endings);
    if (!settings) return {false, is_spent};
    constexpr int from_parent = 2;  // as what a merge brought
    const InsideOf inside{
        ended.row.id, culprit.revision, from_parent, regression, culprit.dependency};
    begin(db, ended.row, inside, culprit, std::move(*settings), now_s);
    return {true, ""};
}

}  // namespace vigil::service
