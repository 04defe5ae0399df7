#include "service/report/send/comment_sender.hpp"

#include <algorithm>

#include "service/report/send/notice_sender.hpp"

namespace vigil::service {

namespace {

/// GitHub's id, by which the address of a comment ends; "" where there is none.
std::string id_at_end(const std::string& address) {
    const auto mark = address.rfind('#');
    if (mark == address.npos) return "";
    return address.substr(std::max(mark, address.find_last_not_of("0123456789")) + 1);
}

DueNotice notice_of(const ReportTarget& target, const Envelope& envelope) {
    DueNotice notice;
    notice.target = target;
    notice.row.words.target = envelope.target;
    notice.row.words.number = envelope.comment_below;
    notice.row.words.body = envelope.body;
    notice.row.ambiguous = envelope.look_first;
    notice.row.external_ref = id_at_end(envelope.external_ref);
    notice.marker = envelope.marker;
    if (envelope.filings > 0) notice.settled_at_s = envelope.filed_at_s + settle_s;
    return notice;
}

SendReply make_comment(
    TrackerSession& session,
    const DueNotice& notice,
    const Envelope& envelope,
    std::int64_t now_s) {
    SendReply reply = send_notice(session, notice, now_s);
    if (reply.outcome != SendOutcome::sent) return reply;
    reply.external_ref = reply.address;
    const bool twice = envelope.filings + (reply.filed ? 1 : 0) >= 2;
    const auto check_s = (reply.filed ? now_s : envelope.filed_at_s) + twin_check_s;
    if (!twice || now_s >= check_s || id_at_end(reply.address).empty()) return reply;
    reply.outcome = SendOutcome::wait;
    reply.message = "written; looked at again, for an earlier attempt may have written it too";
    reply.may_exist = true;
    reply.not_before_s = check_s;
    return reply;
}

SendReply end_comment_twin(
    TrackerSession& session,
    const DueNotice& notice,
    const Envelope& envelope,
    std::int64_t now_s) {
    SendReply reply = end_notice_twin(session, notice, now_s);
    const bool over = now_s >= envelope.filed_at_s + twin_limit_s;
    if (reply.outcome == SendOutcome::sent || over) return sent(envelope.external_ref);
    if (reply.outcome != SendOutcome::wait) {
        reply.not_before_s = std::max(reply.not_before_s.value_or(0), now_s + default_wait_s);
    }
    reply.outcome = SendOutcome::wait;  // the comment is there, whatever the look came to
    reply.may_exist = true;
    reply.external_ref = envelope.external_ref;
    return reply;
}

}  // namespace

SendReply send_comment(
    TrackerSession& session,
    const ReportTarget& target,
    const Envelope& envelope,
    std::int64_t now_s) {
    const auto notice = notice_of(target, envelope);
    if (envelope.external_ref.empty()) return make_comment(session, notice, envelope, now_s);
    if (notice.row.external_ref.empty()) return sent(envelope.external_ref);
    return end_comment_twin(session, notice, envelope, now_s);
}

}  // namespace vigil::service
