#pragma once

#include <cstdint>

#include "service/config/config.hpp"
#include "service/report/deliver/outbox.hpp"
#include "service/store/reports/outbox.hpp"

namespace vigil::service {

/// What a night means for its commit: a failure where it found a regression, neutral where nothing
/// was compared or the night came to nothing. A pure function.
/// @param compared  series that had something to be compared with
CheckConclusion conclusion_of(const NightOutcome& night, std::int64_t compared);

/// The check of a nightly's commit.
CommitCheck load_check(Database& db, NightlyId nightly);

/// Sets it: a check run, which only an app may make, or else the status of the commit. Blocks for
/// half a minute at most. Doing it twice is the same as once to readers: the newest counts.
/// @param envelope  of a night, with its check
SendReply send_check(const ReportTarget& target, const Envelope& envelope, std::int64_t now_s);

}  // namespace vigil::service
