#include "service/store/reports/notices.hpp"

namespace vigil::service {

namespace {

// A NoticeRow.
const std::string notice_row =
    "SELECT id, target, place, number, revision, status, title, body, version, attempts, "
    "ambiguous, external_ref, filings, filed_at_s FROM notice ";

}  // namespace

bool put_notice(Database& db, const NoticeWords& words, std::int64_t now_s) {
    // One that is on its way keeps its time; write_notice sees that there are newer words.
    return db.execute(
               "INSERT INTO notice(target, place, number, revision, status, title, body, state, "
               "next_attempt_at_s, changed_at_s) "
               "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'pending', 0, ?8) "
               "ON CONFLICT(target, place) DO UPDATE SET status = ?5, title = ?6, body = ?7, "
               "version = version + 1, state = 'pending', "
               "attempts = iif(in_flight, attempts, 0), "
               "next_attempt_at_s = iif(in_flight, next_attempt_at_s, 0), changed_at_s = ?8 "
               "WHERE status <> ?5 OR title <> ?6 OR body <> ?7",
               words,
               now_s) > 0;
}

namespace {

// Of a notice's place; is_answer is the same rule.
const std::string answers = "(place GLOB 'answer/*' OR place GLOB 'command/*')";

}  // namespace

bool is_answer(const NoticeWords& words) {
    return words.place.starts_with("answer/") || words.place.starts_with("command/");
}

std::vector<NoticeRow> list_due_notices(Database& db, std::int64_t steady_s) {
    return db.all<NoticeRow>(
        notice_row +
            "WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY target, " +
            answers +
            " ORDER BY next_attempt_at_s, id) AS turn FROM notice WHERE state = 'pending' "
            "AND next_attempt_at_s <= ?1) WHERE turn = 1) ORDER BY " +
            answers + ", next_attempt_at_s, id",
        steady_s);
}

std::vector<NoticeRow> list_notices_to_look_at(Database& db, std::int64_t steady_s, int limit) {
    return db.all<NoticeRow>(
        notice_row +
            "WHERE look_at_s IS NOT NULL AND look_at_s <= ?1 AND in_flight = 0 "
            "ORDER BY look_at_s, id LIMIT ?2",
        steady_s,
        limit);
}

void note_look(Database& db, std::int64_t notice, std::optional<std::int64_t> look_at_s) {
    db.execute("UPDATE notice SET look_at_s = ?2 WHERE id = ?1", notice, look_at_s);
}

void adopt(Database& db, std::int64_t notice, const std::string& external_ref) {
    db.execute(
        "UPDATE notice SET external_ref = ?2, state = 'pending', attempts = 0, "
        "next_attempt_at_s = 0 WHERE id = ?1",
        notice,
        external_ref);
}

void write_notice(Database& db, std::int64_t notice, int version, const OutboxRow& row) {
    db.execute(
        "UPDATE notice SET state = iif(version = ?2, ?3, 'pending'), "
        "attempts = iif(version = ?2, ?4, 0), ambiguous = ?5, in_flight = ?6, "
        "next_attempt_at_s = iif(version = ?2, ?7, 0), external_ref = ?8, message = ?9, "
        "filings = ?10, filed_at_s = ?11 "
        "WHERE id = ?1",
        notice,
        version,
        row.state,
        row.attempts,
        row.ambiguous,
        row.in_flight,
        row.next_attempt_at_s,
        row.external_ref,
        row.message,
        row.filings,
        row.filed_at_s);
}

void note_given_up(Database& db, std::int64_t notice, int version, bool given_up) {
    db.execute(
        "UPDATE notice SET given_up = ?3 WHERE id = ?1 AND version = ?2",
        notice,
        version,
        given_up);
}

bool revive_notice(Database& db, std::int64_t notice, std::int64_t steady_s) {
    return db.execute(
               "UPDATE notice SET state = 'pending', ambiguous = ambiguous OR attempts > 0, "
               "attempts = 0, next_attempt_at_s = ?2, message = '' "
               "WHERE id = ?1 AND state = 'dead'",
               notice,
               steady_s) > 0;
}

bool drop_given_up(Database& db, const std::string& target, const std::string& place) {
    return db.execute(
               "UPDATE notice SET given_up = 0 WHERE target = ?1 AND place = ?2 AND given_up = 1",
               target,
               place) > 0;
}

void drop_given_up_before(Database& db, std::int64_t changed_before_s) {
    db.execute(
        "UPDATE notice SET given_up = 0 WHERE given_up = 1 AND changed_at_s < ?1",
        changed_before_s);
}

std::optional<GivenUpNotices> find_given_up_notices(Database& db, const std::string& target) {
    return db.first<GivenUpNotices>(
        "SELECT (SELECT count(*) FROM notice WHERE given_up = 1 AND target = ?1), number, "
        "revision, message FROM notice WHERE given_up = 1 AND target = ?1 "
        "ORDER BY changed_at_s DESC, id DESC LIMIT 1",
        target);
}

int resume_notices(Database& db, std::int64_t steady_s) {
    return static_cast<int>(db.execute(
        "UPDATE notice SET in_flight = 0, next_attempt_at_s = ?1, "
        "filings = filings + (external_ref = ''), "
        "filed_at_s = iif(external_ref = '', ?1, filed_at_s) "
        "WHERE state = 'pending' AND in_flight = 1",
        steady_s));
}

}  // namespace vigil::service
