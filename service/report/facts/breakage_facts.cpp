#include "service/report/facts/night_facts.hpp"

namespace vigil::service {

std::optional<BreakageFact> find_breakage(Database& db, NightlyId nightly) {
    auto found = find_reported_breakage(db, nightly);
    if (!found) return std::nullopt;
    BreakageFact fact{std::move(*found), {}};
    for (const auto& ending : fact.conclusion.endings) {
        if (ending.ending != search::Ending::culprit) continue;
        auto commit = find_breaking_commit(db, fact.bisection, ending.first);
        if (commit) static_cast<BreakingCommit&>(fact) = std::move(*commit);
    }
    return fact;
}

}  // namespace vigil::service
