#pragma once

#include <cstdint>

#include "schema/model/ids.hpp"
#include "service/report/send/envelope.hpp"
#include "service/store/reports/outbox.hpp"

namespace vigil::service {

/// What a night means for its commit: a failure where it found a regression, neutral where nothing
/// was compared or the night came to nothing. A pure function.
/// @param compared  series that had something to be compared with
CheckConclusion conclusion_of(const NightOutcome& night, std::int64_t compared);

/// The check of a nightly's commit.
CommitCheck load_check(Database& db, NightlyId nightly);

}  // namespace vigil::service
