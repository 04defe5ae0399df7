#pragma once

#include <cstdint>
#include <vector>

#include "service/config/config.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/series/values.hpp"

namespace vigil::service {

/// How far a series lies from its baseline tonight; only of times whose nights can tell.
struct SeriesMove {
    SeriesRow series;
    double base = 0;          ///< metric's unit
    double change_ratio = 0;  ///< of tonight
    bool suspicious = false;
    NightlyId usual_night;  ///< whose build a session would hold tonight's against
};

/// What a night's judgement counted.
struct NightCounts {
    int series = 0;      ///< judged series measured tonight
    int suspicions = 0;  ///< opened, worse or better
    int first = 0;       ///< without an earlier night to compare with
    int quarantine = 0;  ///< measured, and cannot be judged
    int silent = 0;      ///< suspicions of variants that no longer run, see judge_outcomes()
    std::vector<SeriesMove> moves = {};
};

/// Compares every judged series of a nightly, all of whose jobs have ended, with its baselines, and
/// opens suspicions. A series that cannot be judged is set aside with a reason, and the others go
/// on. Measures nothing and proves nothing.
NightCounts judge_nightly(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s);

/// Opens a suspicion of kind `outcome` for every variant that ran the night before and of which no
/// run passed tonight (crash, out of memory, time-out, wrong answer). One judged series stands for
/// the variant.
/// @return  how many were opened
int judge_outcomes(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s);

/// Gives the verdict `leak` to every variant each of whose runs leaks tonight and none of whose
/// runs did in the last night in which it ran: the intervals say so, and nothing is measured again.
/// It is told and counted; no search begins.
/// @return  how many there are
int judge_leaks(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s);

}  // namespace vigil::service
