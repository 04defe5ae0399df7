#pragma once

#include <cstdint>
#include <string>

#include "service/config/config.hpp"
#include "service/report/send/envelope.hpp"

namespace vigil::service {

/// The mail of a message: headers, an empty line, its text as UTF-8 in base64. A pure function. No
/// text of a report reaches a header but the subject, which is encoded. All versions of a document
/// are one thread; the same version always has the same Message-ID, so that readers see it once.
/// @param now_s  UTC
std::string mail_of(const ReportTarget& target, const Envelope& envelope, std::int64_t now_s);

/// Sends it by SMTP. Blocks for a minute at most; the reply says what the world did.
SendReply send_mail(const ReportTarget& target, const Envelope& envelope, std::int64_t now_s);

}  // namespace vigil::service
