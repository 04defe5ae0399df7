#include "service/store/ids.hpp"
#include "tests/support/fleet.hpp"

// What a fleet does for a backfill.

namespace vigil::tests {

using namespace vigil::service;

BackfillId Fleet::backfill(
    const std::vector<int>& commits, int nights, std::int64_t runs_budget, int in_rounds) {
    now_s_ += 60;
    past_ = commits;
    BackfillId id;
    transact([&](Database& db) {
        id = request_backfill(
            db, config_.projects.at("lab"), nights, runs_budget, "somebody", now_s_);
    });
    for (int round = 0; round < in_rounds; ++round) {
        if (!play_round()) break;
    }
    return id;
}

// What the git lane does of it.
void Fleet::list_past_days() {
    const auto lab = find_project(db_, "lab");
    if (!lab) return;
    for (const auto& missing : list_missing_days(db_, 100, *lab)) {
        std::vector<PastDay> days;
        for (std::size_t i = 0; i < past_.size(); ++i) {
            const auto version = "past-" + std::to_string(past_[i]);
            const auto day = std::to_string(i % 28 + 1);
            days.push_back(
                {Revision(revision(past_[i])),
                 version,
                 "2025-1" + std::to_string(i / 28) + (day.size() < 2 ? "-0" : "-") + day});
        }
        transact([&](Database& db) { record_days(db, config_, missing.backfill, days, now_s_); });
    }
}

}  // namespace vigil::tests
