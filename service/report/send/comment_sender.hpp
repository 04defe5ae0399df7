#pragma once

#include <cstdint>

#include "service/config/config.hpp"
#include "service/report/send/envelope.hpp"

namespace vigil::service {

class TrackerSession;

/// Writes a comment below an issue, once: as a notice it is looked for where it may be there, and
/// not made again before it would be listed. After a second request it is looked at again, and one
/// that came late is removed. At most one write a call. Blocks; nothing is thrown for what a
/// network or a server does.
/// @param envelope  with `comment_below`
/// @param now_s  UTC
SendReply send_comment(
    TrackerSession& session,
    const ReportTarget& target,
    const Envelope& envelope,
    std::int64_t now_s);

}  // namespace vigil::service
