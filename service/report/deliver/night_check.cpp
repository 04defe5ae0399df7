#include "service/report/deliver/night_check.hpp"

#include "service/store/series/reported.hpp"

namespace vigil::service {

CheckConclusion conclusion_of(const NightOutcome& night, std::int64_t compared) {
    if (night.causes > 0) return CheckConclusion::failure;
    if (night.state == NightlyState::failed || compared <= 0) return CheckConclusion::neutral;
    return CheckConclusion::success;
}

CommitCheck load_check(Database& db, NightlyId nightly) {
    const auto night = load_night_outcome(db, nightly);
    std::int64_t compared = 0;
    for (const auto& one : list_measured_metrics(db, nightly)) {
        const bool may_be = one.judging == Judging::as_metric || one.judging == Judging::always;
        if (may_be) compared += one.series - one.first;
    }
    return {night.revision, conclusion_of(night, compared)};
}

}  // namespace vigil::service
