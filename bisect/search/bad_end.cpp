#include "bisect/search/bad_end.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bisect/search/availability.hpp"
#include "bisect/search/rules.hpp"
#include "bisect/search/words.hpp"

namespace vigil::search {

int usable_bad_end(const Problem& problem, const Facts& facts) {
    const Availability availability(problem, facts);
    int end = problem.suspects;
    while (end > 0 && availability.unusable(end)) --end;
    return end == 0 || problem.suspects - end > rule.patience ? problem.suspects : end;
}

Shortened shorten(const Problem& problem, const Facts& facts, int bad_end) {
    Shortened shorter{problem, facts};
    const auto size = static_cast<std::size_t>(bad_end);
    const auto beyond = [&](int commit) { return commit > bad_end; };
    shorter.problem.suspects = bad_end;
    // What was tried beyond it is paid for.
    shorter.problem.budget.max_builds -= problem.suspects - 1 - bad_end;
    if (!problem.weights.empty()) shorter.problem.weights.resize(size);
    if (!problem.names.empty()) shorter.problem.names.resize(size + 1);
    if (!facts.product.empty()) shorter.facts.product.resize(size + 1);
    std::erase_if(shorter.facts.observations, [&](const auto& o) { return beyond(o.commit); });
    std::erase_if(shorter.facts.failures, [&](const auto& f) { return beyond(f.commit); });
    std::erase_if(shorter.facts.built, beyond);
    for (auto& asked : shorter.facts.asked) std::erase_if(asked.commits, beyond);
    return shorter;
}

Decision of_whole_range(Decision decision, const Problem& whole, const Facts& facts, int bad_end) {
    const Availability availability(whole, facts);
    for (auto& ending : decision.endings) {
        const bool not_there = ending.ending == Ending::not_reproduced;
        const bool maybe_not_there =
            ending.ending == Ending::range &&
            (ending.probability == 0 || ending.unchanged > 1 - rule.worth_verifying);
        if (!not_there && !maybe_not_there) continue;
        ending.ending = Ending::range;
        if (not_there) ending.first = bad_end + 1;
        ending.last = whole.suspects;
        ending.reason += fmt::format(
            "; commit {} stood in for the bad end: {}",
            whole.name(bad_end),
            obstacles_before(whole, availability, bad_end + 1, whole.suspects + 1));
    }
    for (auto& posterior : decision.posterior) {
        posterior.resize(static_cast<std::size_t>(whole.suspects));
    }
    return decision;
}

}  // namespace vigil::search
