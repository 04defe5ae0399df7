#include "bisect/search/onward.hpp"

#include <algorithm>

#include "bisect/search/availability.hpp"

namespace vigil::search {

namespace {

std::optional<Door> next_door(const std::vector<int>& parents, Door door) {
    for (; door.merge < static_cast<int>(parents.size()); door = {door.merge + 1, 2}) {
        if (door.parent <= parents[static_cast<std::size_t>(door.merge)]) return door;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Onward> onward(const FinishedSearch& ended) {
    const bool is_range = ended.ending == Ending::range && ended.verified && !ended.door;
    std::optional<Door> next;
    bool deeper = true;
    if (ended.ending == Ending::culprit || is_range) {
        if (ended.depth <= most_depth) next = next_door(ended.answer, {});
    } else if (ended.ending == Ending::not_reproduced && ended.door) {
        deeper = false;
        next = next_door(ended.outer, {ended.door->merge, ended.door->parent + 1});
    }
    return next ? std::optional(Onward{deeper, *next}) : std::nullopt;
}

Spent spent_by(const Problem& problem, const Facts& facts) {
    Spent spent{
        .probes = static_cast<int>(facts.asked.size()),
        .builds = Availability(problem, facts).builds_tried()};
    for (const auto& asked : facts.asked) {
        spent.runs += static_cast<int>(asked.commits.size() * asked.series.size());
    }
    return spent;
}

Spent& Spent::operator+=(const Spent& more) {
    probes += more.probes;
    builds += more.builds;
    runs += more.runs;
    return *this;
}

Budget left_of(const Budget& budget, const Spent& spent) {
    return {
        std::max(budget.max_probes - spent.probes, 0),
        std::max(budget.max_builds - spent.builds, 0),
        std::max(budget.max_runs - spent.runs, 0),
        budget.further};
}

bool is_left(const Budget& budget) {
    return budget.max_probes > 0 && budget.max_builds > 0 && budget.max_runs > 0;
}

Problem problem_inside(
    const Problem& outer, const Spent& spent, const std::vector<SeriesEnding>& endings) {
    Problem inner;
    for (const auto& ending : endings) {
        auto& spec =
            inner.series.emplace_back(outer.series.at(static_cast<std::size_t>(ending.series)));
        spec.least_ratio = 0;  // what a merge moved may be a part of it
        if (ending.ending == Ending::culprit) spec.expected_ratio = ending.verified.change_ratio;
    }
    inner.budget = left_of(outer.budget, spent);
    inner.costs = outer.costs;
    inner.workers = outer.workers;
    inner.at_once = outer.at_once;
    return inner;
}

}  // namespace vigil::search
