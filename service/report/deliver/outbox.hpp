#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/report/deliver/issue_tracker.hpp"
#include "service/runtime/clock.hpp"

// The outbox's rows: taken before anything is sent, ended after. Rows are in steady time; envelopes
// and replies, which meet receivers' words, in the time of day.

namespace vigil::service {

class Database;

/// What a message is about, for programs.
struct MessageAbout {
    std::string kind;     ///< "regression", "night", "trouble", "comment" or "week"
    std::string subject;  ///< "regression/7": all versions of one document share it
    std::string project;
    ReportId report;
    int version = 1;
    ToldFact told;    ///< of a regression
    std::string url;  ///< its page; empty: none is known
};

/// One of several reports that are one message.
struct MessagePart {
    std::string title;
    std::string body;
    MessageAbout about;
};

enum class CheckConclusion { success, neutral, failure };

/// What is said of a commit.
struct CommitCheck {
    Revision revision;
    CheckConclusion conclusion = CheckConclusion::neutral;
};

/// A report on its way to one target.
struct Envelope {
    std::string target;     ///< name in the config
    std::string file_name;  ///< of the report, the same for all its versions: [0-9A-Za-z._-]+
    std::string title;
    std::string body;
    Marker marker;                    ///< the line of the body that names the report
    std::string external_ref;         ///< where an earlier version went; empty: not known
    bool look_first = false;          ///< an earlier attempt may have arrived, or two have
    int filings = 0;                  ///< earlier requests that filed it, or may have
    std::int64_t filed_at_s = 0;      ///< when the last of them ended, UTC
    std::int64_t first_stored_s = 0;  ///< when its first version was stored: nothing is older
    IssueState state = IssueState::as_it_is;
    std::vector<std::string> assignees = {};  ///< logins, of an issue that is filed
    std::int64_t comment_below = 0;           ///< issue below which it is a comment; 0: it is none
    std::optional<CommitCheck> check = {};    ///< it goes to a commit, and is no issue
    MessageAbout about = {};
    std::vector<MessagePart> more = {};  ///< that go with it, of a target that collects
};

/// A message that goes with another one.
struct Rider {
    std::int64_t outbox_id = 0;
    ReportId report;
    ProjectId project;
    OutboxRow begun;
    IssueState state = IssueState::as_it_is;
};

struct DueDelivery {
    std::int64_t outbox_id = 0;
    ReportId report;
    ProjectId project;
    std::string pace;  ///< the tracker's host and port; empty: no pace is kept
    OutboxRow begun;
    Envelope envelope;
    std::vector<Rider> riders = {};  ///< they come to what it comes to
};

/// Takes messages that are due, at most one for each target and for each tracker's host, and marks
/// them as begun, in the caller's transaction. A host whose pace allows no write now gives none.
/// Only the newest version of a report is sent: older ones still pending end
/// as dead ("replaced"). Messages to a target that the config no longer has end as dead. While the
/// config holds reports none is taken, which is the trouble "report.held".
/// Commit before sending anything.
std::vector<DueDelivery> take_due(Database& db, const Config& config, const Moment& now);

/// Records what came of it, with an event when it is sent or given up, and a trouble for as long as
/// its target takes nothing. @param now  after the attempt
void finish_delivery(
    Database& db, const DueDelivery& delivery, const SendReply& reply, const Moment& now);

/// Messages of a report that were given up become due again, looked for first where they may have
/// arrived; not those that a newer version of the report replaced.
/// @param only  of them this one alone
/// @return  names of their targets
std::vector<std::string> retry_given_up(
    Database& db,
    ReportId report,
    const Moment& now,
    std::optional<std::int64_t> only = std::nullopt);

/// Called once at start: what was on its way when the daemon ended is due now, and looked for
/// first. @return  how many
int resume_outbox(Database& db, const Moment& now);

}  // namespace vigil::service
