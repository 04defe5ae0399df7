#pragma once

#include <cstdint>
#include <string>

#include "service/config/config.hpp"
#include "service/report/facts/marker.hpp"
#include "service/report/send/attempt_rules.hpp"
#include "service/store/reports/notices.hpp"
#include "service/store/reports/tracker.hpp"

namespace vigil::service {

class TrackerSession;

/// A notice on its way.
struct DueNotice {
    NoticeRow row;
    ReportTarget target;
    OutboxRow begun;
    OpenWrite write;
    Marker marker;
    std::int64_t settled_at_s = 0;  ///< UTC; from then on what was made is in the tracker's lists
};

/// Makes the comment or the check run, or writes it anew where it is known. One that may be there
/// is looked for first: a comment by its marker, a check run by its external id, which is the same.
/// Not before `settled_at_s` is it made anew.
/// One that somebody removed is not made again. Blocks; nothing is thrown for what a network or a
/// server does.
/// @param now_s  UTC
/// @return  when it is there with GitHub's id of it as its reference
SendReply send_notice(TrackerSession& session, const DueNotice& notice, std::int64_t now_s);

/// Looks whether one that is known to be there is there twice, because a request that made it was
/// carried out late, and our own account wrote both. Another comment is removed, one a call; of
/// check runs the newest is the one that GitHub shows, so that one counts. Blocks, as above.
/// @return  `sent` with the id that counts: there are no others; `wait`: one was removed
SendReply end_notice_twin(TrackerSession& session, const DueNotice& notice, std::int64_t now_s);

/// What a check run is found by: its marker without what hides it.
std::string external_id(const Marker& marker);

}  // namespace vigil::service
