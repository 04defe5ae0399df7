#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/enum_names.hpp"
#include "schema/model/states.hpp"
#include "service/store/reports/reports.hpp"

// The table `outbox`: documents on their way to their targets. Times are steady.

namespace vigil::service {

enum class OutboxState { pending, sent, dead };

/// The part of a row that the rules of service/report/deliver move.
struct OutboxRow {
    OutboxState state = OutboxState::pending;
    int attempts = 0;             ///< that failed
    int in_vain = 0;              ///< of them: at a search, since it last came further
    bool ambiguous = false;       ///< may be there, or there twice
    bool in_flight = false;       ///< an attempt has begun
    int filings = 0;              ///< requests that filed it, or may have
    std::int64_t filed_at_s = 0;  ///< when the last of them ended
    std::int64_t next_attempt_at_s = 0;
    std::string external_ref;
    std::string message;
};

/// A row with the document that it carries.
struct DueRow {
    std::int64_t outbox_id = 0;
    std::string target;
    OutboxRow row;
    ReportId report;
    ReportSubject subject;
    Document document;
    int version = 0;
    std::int64_t stored_s = 0;  ///< this version, UTC
    std::string project_name;
    std::string night;  ///< its name
    std::optional<RegressionState> state;
    bool trouble_ended = false;
    ToldFact told;
};

/// Targets with a message that is due, the longest waiting first; not those to which one is on its
/// way.
std::vector<std::string> list_due_targets(Database& db, std::int64_t steady_s);

/// The message whose turn it is at `target`. Of a document only the newest version has one.
std::optional<std::int64_t> find_due(
    Database& db, const std::string& target, std::int64_t steady_s);
/// Others that wait for the same target, due or not, and of which no attempt goes on.
std::vector<std::int64_t> list_waiting_beside(Database& db, std::int64_t outbox_id, int limit);
DueRow load_due(Database& db, std::int64_t outbox_id);

/// What an earlier version of the same document came to at the same target.
struct EarlierRow {
    OutboxRow row;
    bool closed = false;  ///< it was sent as closed
    std::int64_t stored_s = 0;
};
/// Oldest first.
std::vector<EarlierRow> list_earlier(Database& db, const DueRow& due);

/// Messages of which an attempt has begun, as it did.
struct BegunRow {
    std::int64_t outbox_id = 0;
    OutboxRow row;
};
std::vector<BegunRow> list_in_flight(Database& db);

void write_outbox(Database& db, std::int64_t outbox_id, const OutboxRow& row);

/// It is there: what is known to be there once is not doubted for the next version.
void note_sent(Database& db, std::int64_t outbox_id, bool closed);

void end_as_dead(Database& db, std::int64_t outbox_id, const std::string& why);
void end_all_as_dead(Database& db, const std::string& target, const std::string& why);
/// Older versions of the same document that still wait for the same target end as dead.
void replace_older(Database& db, const DueRow& due);

/// It is not due before then.
void postpone(Database& db, std::int64_t outbox_id, std::int64_t until_s);

/// Where a regression's report was filed, as its newest messages know.
struct IssuePlace {
    std::string external_ref;  ///< empty: it is not filed yet
    OutboxState state = OutboxState::pending;
};
/// nullopt: nothing of it went, or goes, to this target.
std::optional<IssuePlace> find_issue_place(
    Database& db, const std::string& target, RegressionId regression);

/// An issue that was closed as recovered, of an earlier regression of exactly the same series.
struct ClosedIssue {
    RegressionId regression;
    std::string external_ref;
};
/// The newest that was closed since `since_s`, UTC, and that no later regression has taken.
std::optional<ClosedIssue> find_closed_issue(
    Database& db, const std::string& target, RegressionId regression, std::int64_t since_s);

/// The report goes to this issue, which is there already.
void take_issue(
    Database& db, ReportId report, const std::string& target, const std::string& external_ref);

/// Whether the issue of a regression tells of a later one now.
bool is_taken(Database& db, const std::string& target, RegressionId regression);

/// When a comment before this part was last written below a regression's issue.
std::optional<std::int64_t> find_last_comment_s(
    Database& db, const std::string& target, RegressionId regression, std::int64_t part);

/// When something last arrived at a target.
std::optional<std::int64_t> find_last_sent_s(Database& db, const std::string& target);

struct GivenUp {
    std::int64_t outbox_id = 0;
    std::string target;
};
/// Dead messages of a report, but for those that a newer version replaced.
std::vector<GivenUp> list_given_up(Database& db, ReportId report);
/// It is due again, and looked for first where it may have arrived.
void revive(Database& db, std::int64_t outbox_id, std::int64_t steady_s);

}  // namespace vigil::service
