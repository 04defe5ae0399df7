#pragma once

#include "service/report/facts/night_headline.hpp"
#include "service/report/send/envelope.hpp"

namespace vigil::service {

/// What a night means for its commit: a failure where it found a regression, a success where it is
/// all clear, else neutral. A pure function.
CheckConclusion conclusion_of(const NightHeadline& night);

/// The check of a nightly's commit.
CommitCheck load_check(Database& db, NightlyId nightly, const Config& config);

}  // namespace vigil::service
