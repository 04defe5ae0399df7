#pragma once

#include <cstdint>

#include "service/config/config.hpp"
#include "service/report/send/envelope.hpp"

namespace vigil::service {

class TrackerSession;

/// Sets the check of a commit: a check run, which only an app may make, or else the commit's
/// status. Blocks for half a minute at most. Doing it twice is the same as once to readers: the
/// newest counts.
/// @param envelope  of a night, with its check
SendReply send_check(
    TrackerSession& session,
    const ReportTarget& target,
    const Envelope& envelope,
    std::int64_t now_s);

}  // namespace vigil::service
