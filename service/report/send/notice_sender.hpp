#pragma once

#include <cstdint>
#include <string>

#include "service/config/config.hpp"
#include "service/report/facts/marker.hpp"
#include "service/report/send/attempt_rules.hpp"
#include "service/store/reports/notices.hpp"

namespace vigil::service {

/// A notice on its way.
struct DueNotice {
    NoticeRow row;
    ReportTarget target;
    OutboxRow begun;
    std::string pace;  ///< the tracker's host and port
    Marker marker;
};

/// Makes the comment or the check run, or writes it anew where it is known. One that may be there
/// is looked for first: a comment by its marker, a check run by its external id, which is the same.
/// One that somebody removed is not made again. Blocks; nothing is thrown for what a network or a
/// server does.
/// @param now_s  UTC
/// @return  when it is there with GitHub's id of it as its reference
SendReply send_notice(const DueNotice& notice, std::int64_t now_s);

/// What a check run is found by: its marker without what hides it.
std::string external_id(const Marker& marker);

}  // namespace vigil::service
