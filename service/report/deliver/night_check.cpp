#include "service/report/deliver/night_check.hpp"

namespace vigil::service {

CheckConclusion conclusion_of(const NightHeadline& night) {
    if (night.standing == NightStanding::withdrawn) return CheckConclusion::neutral;
    if (night.fresh > 0) return CheckConclusion::failure;
    const bool clear = night.standing == NightStanding::all_clear;
    return clear ? CheckConclusion::success : CheckConclusion::neutral;
}

CommitCheck load_check(Database& db, NightlyId nightly, const Config& config) {
    const auto facts = load_night_facts(db, nightly, config);
    return {facts.revision, conclusion_of(headline_of(facts))};
}

}  // namespace vigil::service
