#include "service/store/findings/pulls.hpp"

#include <fmt/format.h>

#include "schema/model/transitions.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

namespace {

void tell_of_pull(
    Database& db,
    ProjectId project,
    PullId pull,
    PullState state,
    std::string_view words,
    std::int64_t now_s) {
    const auto kind = "pull." + std::string(to_string(state));
    record_event(db, now_s, kind, project, "pull/" + to_string(pull), words);
}

}  // namespace

PullId add_pull(Database& db, const NewPull& pull, std::int64_t now_s) {
    const auto id = db.insert<PullId>(
        "INSERT INTO pull(project_id, target, number, head, base, is_fork, asked_by, state, "
        "seen_at_s, fixes_id, created_at_s) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        pull,
        now_s);
    const auto words = fmt::format(
        "pull request {} at {}, asked for by {}",
        pull.number,
        pull.head.brief(),
        pull.requested_by);
    tell_of_pull(db, pull.project, id, pull.state, words, now_s);
    return id;
}

PullRow load_pull(Database& db, PullId pull) {
    return db.load<PullRow>(
        "pull request's commit",
        "SELECT id, project_id, target, number, head, base, is_fork, asked_by, state, message, "
        "request_id, seen_at_s, fixes_id FROM pull WHERE id = ?1",
        pull);
}

std::vector<PullRow> list_pulls_of(Database& db, const std::string& target, std::int64_t number) {
    return db.all<PullRow>(
        "SELECT id, project_id, target, number, head, base, is_fork, asked_by, state, message, "
        "request_id, seen_at_s, fixes_id FROM pull WHERE target = ?1 AND number = ?2 ORDER BY id",
        target,
        number);
}

std::vector<PullRow> list_listing_pulls(Database& db, ProjectId project, int limit) {
    return db.all<PullRow>(
        "SELECT id, project_id, target, number, head, base, is_fork, asked_by, state, message, "
        "request_id, seen_at_s, fixes_id FROM pull INDEXED BY pull_open "
        "WHERE state IN {pulls_under_way} AND state = 'listing' AND project_id = ?1 "
        "ORDER BY id LIMIT ?2",
        project,
        limit);
}

void move_pull(
    Database& db, PullId pull, PullState to, std::string_view message, std::int64_t now_s) {
    const auto before = load_pull(db, pull);
    check_move("pull request's commit", pull, before.state, to);
    db.execute(
        "UPDATE pull SET state = ?2, message = ?3, told = 0, ended_at_s = ?4 WHERE id = ?1",
        pull,
        to,
        message,
        is_over(to) ? std::optional(now_s) : std::nullopt);
    const auto words = fmt::format(
        "pull request {} at {}{}{}",
        before.number,
        before.head.brief(),
        message.empty() ? "" : ": ",
        message);
    tell_of_pull(db, before.project, pull, to, words, now_s);
}

void note_requested(Database& db, PullId pull, const std::string& by, const Revision& base) {
    db.execute("UPDATE pull SET asked_by = ?2, base = ?3 WHERE id = ?1", pull, by, base);
}

void note_seen(Database& db, PullId pull, std::int64_t seen_at_s) {
    db.execute("UPDATE pull SET seen_at_s = ?2 WHERE id = ?1", pull, seen_at_s);
}

void note_request(Database& db, PullId pull, RequestId request) {
    db.execute("UPDATE pull SET request_id = ?2 WHERE id = ?1", pull, request);
}

void note_fixes(Database& db, PullId pull, RegressionId regression) {
    db.execute(
        "UPDATE pull SET fixes_id = ?2, told = 0 WHERE id = ?1 AND fixes_id IS NOT ?2",
        pull,
        regression);
}

std::vector<EndedPull> list_ended_pulls(Database& db, int limit) {
    return db.all<EndedPull>(
        "SELECT p.id, r.state, r.message FROM pull p INDEXED BY pull_open "
        "JOIN request r ON r.id = p.request_id WHERE p.state IN {pulls_under_way} "
        "AND p.state = 'measuring' AND r.state IN {ended_requests} ORDER BY p.id LIMIT ?1",
        limit);
}

std::vector<PullId> list_unreported_pulls(Database& db, int limit) {
    return db.all<PullId>("SELECT id FROM pull WHERE told = 0 ORDER BY id LIMIT ?1", limit);
}

void mark_reported(Database& db, PullId pull) {
    db.execute("UPDATE pull SET told = 1 WHERE id = ?1", pull);
}

}  // namespace vigil::service
