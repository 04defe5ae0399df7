#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/reports/outbox.hpp"

// The table `command`: what people ask by a comment of an issue. Times of attempts are steady.

namespace vigil::service {

struct NewCommand {
    std::string target;  ///< name of the report target
    std::int64_t issue = 0;
    std::string issue_url;
    std::int64_t comment = 0;
    std::string login;
    std::string words;     ///< a stranger's text
    bool is_pull = false;  ///< it stands below a pull request
    /// GitHub calls the author owner, member or collaborator, which gives no right.
    bool is_member = false;
};
/// Kept once for each comment, and due at once. Where many strangers wait already, one more is not
/// kept. @return  whether it is, now or before
bool add_command(Database& db, const NewCommand& command, std::int64_t now_s);

struct CommandRow {
    std::int64_t id = 0;
    NewCommand asked;
    int attempts = 0;
};
/// Of each target the one whose turn it is: members' before those of strangers, the longest
/// waiting first.
std::vector<CommandRow> list_due_commands(Database& db, std::int64_t steady_s);

/// What it was decided to answer.
void note_answer_of_command(Database& db, std::int64_t command, const std::string& answer);

/// It asked for this to be measured, and is to be told what came of it.
void note_request_of_command(Database& db, std::int64_t command, RequestId request);

/// A command whose request is over, and which was not told so.
struct UntoldCommand {
    std::int64_t id = 0;
    std::string target;
    std::int64_t issue = 0;
    std::string login;
    RequestId request;
};
std::vector<UntoldCommand> list_unreported_commands(Database& db, int limit);
void mark_reported(Database& db, std::int64_t command);

/// Of the row, what the rules of service/report/deliver move.
void write_command(Database& db, std::int64_t command, const OutboxRow& row);

/// Those whose attempt began, and nobody saw the end, are due at once. @return  how many
int resume_commands(Database& db, std::int64_t steady_s);

/// Whose report lies at this address of this target.
std::optional<RegressionId> find_regression_at(
    Database& db, const std::string& target, const std::string& address);

}  // namespace vigil::service
