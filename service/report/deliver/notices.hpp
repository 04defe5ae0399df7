#pragma once

#include <cstdint>
#include <vector>

#include "service/report/send/notice_sender.hpp"
#include "service/runtime/clock.hpp"

// Notices on their way, by the rules of the outbox: a row before each attempt, one write at a time
// to a host, at the pace of reports. Rows are in steady time.

namespace vigil::service {

/// Takes what is due, at most one for each tracker's host, and marks it as begun, in the caller's
/// transaction. While the config holds reports none is taken. Commit before anything is sent.
std::vector<DueNotice> take_due_notices(Database& db, const Config& config, const Moment& now);

/// Records what came of it, with the event "notice.sent" or "notice.given_up", and the trouble
/// "notice.undelivered" of its target for as long as somebody waits for what was given up there.
/// @param now  after the attempt
void finish_notice(
    Database& db,
    const Config& config,
    const DueNotice& notice,
    const SendReply& reply,
    const Moment& now);

/// Takes those of which it is time to look whether they are there twice, as above; ten minutes
/// after a second request that made them, for the first may have been carried out late.
std::vector<DueNotice> take_due_twins(Database& db, const Config& config, const Moment& now);

/// Records what came of it: it is over, or there is another look. With the event
/// "notice.twin_ended" where one was removed. @param now  after the attempt
void finish_twin(Database& db, const DueNotice& notice, const SendReply& reply, const Moment& now);

/// One that was given up is due again, and looked for first where it may be there, with the event
/// "notice.retried". @return  false: it was not given up
bool retry_notice(Database& db, std::int64_t notice, const Moment& now);

/// Notes that trouble of a target, or ends it.
void judge_notices(
    Database& db, const Config& config, const std::string& target, std::int64_t now_s);
/// The same of each target that has it.
void judge_undelivered_notices(Database& db, const Config& config, std::int64_t now_s);

}  // namespace vigil::service
