#include "service/watch/search/inside.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "bisect/search/onward.hpp"
#include "service/store/findings/probes.hpp"

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
// regression is left with.
Commits load_outer_answer(Database& db, const InsideOf& inside) {
    const auto regression = load_regression(db, inside.regression);
    const auto& left = regression.left;
    auto line = list_suspects(db, inside.outer);
    Commits answer;
    for (auto at = line.rbegin(); at != line.rend() && std::next(at) != line.rend(); ++at) {
        const bool is_left =
            !regression.culprit && std::find(left.begin(), left.end(), at->revision) != left.end();
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
    const NewBisection bisection{
        .project = ended.project,
        .nightly = ended.nightly,
        .good = merge.first_parent,
        .bad = merge.brought.at(static_cast<std::size_t>(inside.parent) - 2),
        .settings = std::move(settings),
        .inside = inside};
    const auto begun = add_bisection(db, bisection, now_s);
    const auto words = "what parent " + std::to_string(inside.parent) + " of the merge " +
                       merge.revision.brief() + " brought, for regression " +
                       to_string(inside.regression);
    tell_of_bisection(db, begun, "inside", words, now_s);
}

bool is_by_outcome(const BisectionSettings& settings, int series) {
    const auto& all = settings.by_outcome;
    return std::find(all.begin(), all.end(), series) != all.end();
}

}  // namespace

BisectionSettings settings_inside(
    const BisectionSettings& outer,
    const std::vector<search::SeriesEnding>& endings,
    const search::Budget& left) {
    BisectionSettings settings;
    settings.costs = outer.costs;
    settings.workers = outer.workers;
    settings.budget = left;
    settings.named = outer.named;
    for (const auto& ending : endings) {
        const auto index = static_cast<std::size_t>(ending.series);
        const auto machine_class =
            outer.groups.at(static_cast<std::size_t>(outer.specs.at(index).group));
        auto group = std::find(settings.groups.begin(), settings.groups.end(), machine_class);
        if (group == settings.groups.end()) {
            settings.groups.push_back(machine_class);
            group = std::prev(settings.groups.end());
        }
        auto spec = outer.specs.at(index);
        spec.group = static_cast<int>(group - settings.groups.begin());
        if (is_by_outcome(outer, ending.series)) {
            settings.by_outcome.push_back(static_cast<int>(settings.specs.size()));
        } else if (ending.ending == search::Ending::culprit) {
            spec.expected_ratio = ending.verified.change_ratio;
        }
        settings.series.push_back(outer.series.at(index));
        settings.specs.push_back(spec);
    }
    return settings;
}

search::Budget budget_left(const EndedBisection& ended, int probes) {
    auto budget = ended.row.settings.budget;
    budget.max_probes -= probes;
    // The ends were built by the nights.
    for (std::size_t i = 1; i + 1 < ended.suspects.size(); ++i) {
        if (ended.suspects[i].build) --budget.max_builds;
    }
    return budget;
}

Going go_inside(
    Database& db,
    const EndedBisection& ended,
    const RegressionRow& regression,
    const std::vector<search::SeriesEnding>& endings,
    std::int64_t now_s) {
    if (regression.has_ended()) return {};  // it recovered while it was searched
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
    const auto left = budget_left(ended, count_probes(db, ended.row.id));
    if (left.max_probes <= 0 || left.max_builds <= 0) return {false, "the budget is spent"};
    const auto& merges = onward->deeper ? answer : outer;
    const auto& merge = merges.at(static_cast<std::size_t>(onward->door.merge));
    const InsideOf next{
        onward->deeper ? ended.row.id : inside->outer,
        merge.revision,
        onward->door.parent,
        regression.id};
    begin(db, ended.row, next, merge, settings_inside(ended.row.settings, endings, left), now_s);
    return {true, ""};
}

}  // namespace vigil::service
