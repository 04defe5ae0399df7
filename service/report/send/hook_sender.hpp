#pragma once

#include <cstdint>
#include <string>

#include "schema/http/message.hpp"
#include "service/config/config.hpp"
#include "service/report/send/envelope.hpp"

namespace vigil::http {
struct Exchange;
}  // namespace vigil::http

namespace vigil::service {

/// What a receiver of a signed request is told. A pure function: JSON, see docs/notifications.md.
std::string webhook_body(const Envelope& envelope);

/// What an incoming webhook of Slack is told. A pure function: JSON in which no text of a report is
/// markup, a link or a mention.
std::string slack_body(const Envelope& envelope);

/// One POST to a target of kind `webhook`, signed with its secret, or of kind `slack`. Blocks for
/// half a minute at most; the reply says what the world did. @param now_s  UTC
SendReply send_hook(const ReportTarget& target, const Envelope& envelope, std::int64_t now_s);

/// What the answer of a receiver that is no tracker means for the message.
SendReply hook_reply(const http::Exchange& exchange, std::int64_t now_s);

}  // namespace vigil::service
