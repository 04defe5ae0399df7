#pragma once

#include <cstdint>

#include "bisect/detect/night.hpp"
#include "service/watch/since.hpp"
#include "service/watch/values.hpp"

namespace vigil::service {

/// What tonight's judgement found: against which night it is measured, and why.
struct Suspected {
    NightValues good;
    detect::NightJudgement judgement;
    HistoryWord history;
    bool is_creep = false;
    bool is_check = false;  ///< the nights cannot tell, whatever they say
    double moved = 0;       ///< over the baseline, log; of what waited, the mean of its nights
    double chance = 0;      ///< of a change above the threshold
    int waited = 0;         ///< nights
};

/// Writes it down as a suspicion of the night, and tells of it.
/// @param same_build  both builds have one product: it ends as noise at once
void open_suspicion(
    Database& db,
    const SeriesRow& series,
    NightlyId nightly,
    const Suspected& suspected,
    bool same_build,
    std::int64_t now_s);

}  // namespace vigil::service
