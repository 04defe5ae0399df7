#include "service/store/reports/commands.hpp"

namespace vigil::service {

bool add_command(Database& db, const NewCommand& command, std::int64_t now_s) {
    constexpr int most_waiting = 200;  // ten minutes of their share of questions
    const auto waiting = *db.find<int>(
        "SELECT COUNT(*) FROM (SELECT 1 FROM command INDEXED BY command_due "
        "WHERE state = 'pending' AND is_member = 0 AND target = ?1 LIMIT ?2)",
        command.target,
        most_waiting);
    if (!command.is_member && waiting == most_waiting) {
        return db.has(
            "SELECT 1 FROM command WHERE target = ?1 AND comment = ?2",
            command.target,
            command.comment);
    }
    db.execute(
        "INSERT INTO command(target, issue, issue_url, comment, login, words, is_pull, "
        "is_member, state, next_attempt_at_s, created_at_s) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'pending', 0, ?9) "
        "ON CONFLICT DO NOTHING",
        command,
        now_s);
    return true;
}

std::vector<CommandRow> list_due_commands(Database& db, std::int64_t steady_s) {
    return db.all<CommandRow>(
        "SELECT id, target, issue, issue_url, comment, login, words, is_pull, is_member, attempts "
        "FROM (SELECT *, row_number() OVER (PARTITION BY target "
        "ORDER BY is_member DESC, next_attempt_at_s, id) AS turn FROM command "
        "WHERE state = 'pending' AND next_attempt_at_s <= ?1) WHERE turn = 1",
        steady_s);
}

void note_answer_of_command(Database& db, std::int64_t command, const std::string& answer) {
    db.execute("UPDATE command SET answer = ?2 WHERE id = ?1", command, answer);
}

void note_request_of_command(Database& db, std::int64_t command, RequestId request) {
    db.execute("UPDATE command SET request_id = ?2, told = 0 WHERE id = ?1", command, request);
}

std::vector<UntoldCommand> list_unreported_commands(Database& db, int limit) {
    return db.all<UntoldCommand>(
        "SELECT c.id, c.target, c.issue, c.login, c.request_id FROM command c "
        "INDEXED BY command_untold JOIN request r ON r.id = c.request_id WHERE c.told = 0 "
        "AND r.state IN {ended_requests} ORDER BY c.request_id LIMIT ?1",
        limit);
}

void mark_reported(Database& db, std::int64_t command) {
    db.execute("UPDATE command SET told = 1 WHERE id = ?1", command);
}

void write_command(Database& db, std::int64_t command, const OutboxRow& row) {
    db.execute(
        "UPDATE command SET state = ?2, attempts = ?3, in_flight = ?4, next_attempt_at_s = ?5, "
        "message = ?6 WHERE id = ?1",
        command,
        row.state,
        row.attempts,
        row.in_flight,
        row.next_attempt_at_s,
        row.message);
}

int resume_commands(Database& db, std::int64_t steady_s) {
    return static_cast<int>(db.execute(
        "UPDATE command SET in_flight = 0, next_attempt_at_s = ?1 "
        "WHERE state = 'pending' AND in_flight = 1",
        steady_s));
}

std::optional<RegressionId> find_regression_at(
    Database& db, const std::string& target, const std::string& address) {
    return db.find<RegressionId>(
        "SELECT p.regression_id FROM outbox x JOIN report p ON p.id = x.report_id "
        "WHERE x.external_ref = ?2 AND x.external_ref <> '' AND x.target = ?1 "
        "AND p.regression_id IS NOT NULL ORDER BY x.id DESC LIMIT 1",
        target,
        address);
}

}  // namespace vigil::service
