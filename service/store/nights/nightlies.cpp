#include "service/store/nights/nightlies.hpp"

#include "schema/model/transitions.hpp"
#include "service/store/events.hpp"
#include "service/store/nights/night_commits.hpp"

namespace vigil::service {

namespace {

const std::string select_nightly =
    "SELECT id, project_id, build_id, version, name, state, beside, compared_series, backfill_id "
    "FROM nightly ";

NightlyRow load_movable(Database& db, NightlyId nightly, NightlyState to) {
    auto row = load_nightly(db, nightly);
    check_move("nightly", nightly, row.state, to);
    return row;
}

std::string step_of(NightlyId nightly) {
    return "nightly/" + to_string(nightly);
}

}  // namespace

std::optional<NightlyRow> find_nightly(Database& db, NightlyId nightly) {
    return db.first<NightlyRow>(select_nightly + "WHERE id = ?1", nightly);
}

NightEdge load_night_edge(Database& db, NightlyId nightly) {
    return db.load<NightEdge>(
        "nightly", "SELECT revision, version, day FROM nightly WHERE id = ?1", nightly);
}

NightlyRow load_nightly(Database& db, NightlyId nightly) {
    return db.load<NightlyRow>("nightly", select_nightly + "WHERE id = ?1", nightly);
}

std::optional<NightlyRow> find_nightly_of(Database& db, BuildId build) {
    return db.first<NightlyRow>(
        select_nightly + "WHERE build_id = ?1 ORDER BY beside IS NOT NULL, id LIMIT 1", build);
}

std::optional<BuildId> find_build_of(
    Database& db, ProjectId project, const std::string& version_or_revision) {
    return db.find<BuildId>(
        "SELECT build_id FROM nightly WHERE id IN (SELECT id FROM nightly WHERE project_id = ?1 "
        "AND version = ?2 UNION SELECT id FROM nightly WHERE +project_id = ?1 AND revision = ?2) "
        "ORDER BY id LIMIT 1",
        project,
        version_or_revision);
}

std::vector<NightlyId> list_open_nightlies(Database& db, int limit) {
    return db.all<NightlyId>(
        "SELECT id FROM nightly WHERE state IN {open_nights} "
        // One of a backfill without jobs waits for its turn.
        "AND (backfill_id IS NULL OR EXISTS (SELECT 1 FROM job WHERE nightly_id = nightly.id)) "
        "UNION SELECT nightly_id FROM bisection WHERE state IN {open_bisections} AND nightly_id IS "
        "NOT NULL ORDER BY 1 LIMIT ?1",
        limit);
}

std::optional<NewestNight> find_newest_night(Database& db, ProjectId project) {
    return db.first<NewestNight>(
        "SELECT id, name, version, day, revision FROM night WHERE project_id = ?1 "
        "AND state <> 'failed' ORDER BY id DESC LIMIT 1",
        project);
}

std::optional<NightlyId> find_newest_done(Database& db, ProjectId project) {
    return db.find<NightlyId>(
        "SELECT id FROM night WHERE project_id = ?1 AND state = 'done' ORDER BY id DESC LIMIT 1",
        project);
}

std::optional<NightlyId> find_newest_ended(Database& db, ProjectId project) {
    return db.find<NightlyId>(
        "SELECT id FROM night WHERE project_id = ?1 AND backfill_id IS NULL "
        "AND state NOT IN {open_nights} ORDER BY id DESC LIMIT 1",
        project);
}

std::optional<std::int64_t> find_newest_night_s(Database& db, ProjectId project) {
    return db.find<std::int64_t>(
        "SELECT MAX(created_at_s) FROM night WHERE project_id = ?1", project);
}

std::optional<NightlyId> find_night_named(
    Database& db, ProjectId project, const std::string& version_or_revision) {
    return db.find<NightlyId>(
        "SELECT id FROM night WHERE project_id = ?1 AND (version = ?2 OR revision = ?2) "
        "ORDER BY id DESC LIMIT 1",
        project,
        version_or_revision);
}

std::vector<NightlyId> list_nights_before(
    Database& db, ProjectId project, NightlyId nightly, int limit) {
    return db.all<NightlyId>(
        "SELECT id FROM night WHERE id < ?1 AND state <> 'failed' AND project_id = ?2 "
        "ORDER BY id DESC LIMIT ?3",
        nightly,
        project,
        limit);
}

std::optional<NightlyId> find_night_after(Database& db, ProjectId project, NightlyId nightly) {
    return db.find<NightlyId>(
        "SELECT MIN(id) FROM night WHERE id > ?2 AND project_id = ?1", project, nightly);
}

std::vector<NightBetween> list_nights_between(Database& db, NightlyId good, NightlyId bad) {
    return db.all<NightBetween>(
        "SELECT n.id, n.revision FROM night n JOIN nightly b ON b.id = ?2 "
        "AND b.project_id = n.project_id WHERE n.id > ?1 AND n.id <= ?2 ORDER BY n.id",
        good,
        bad);
}

bool has_unjudged_before(Database& db, const NightlyRow& nightly) {
    return db.has(
        "SELECT 1 FROM nightly INDEXED BY nightly_open WHERE project_id = ?1 AND id < ?2 "
        "AND state IN {open_nights} AND state <> 'searching' AND beside IS NULL LIMIT 1",
        nightly.project,
        nightly.id);
}

NightlyId add_nightly(
    Database& db, const NewNightly& nightly, std::int64_t now_s, std::optional<NightlyId> id) {
    return db.insert<NightlyId>(
        "INSERT INTO nightly(project_id, build_id, version, day, revision, beside, state, "
        "created_at_s, id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'measuring', ?7, ifnull(?8, "
        "ifnull((SELECT id FROM nightly WHERE id < ?9 ORDER BY id DESC LIMIT 1), 0) + 1))",
        nightly,
        now_s,
        id,
        id_at(first_night_s));
}

NightlyId id_at(std::int64_t time_s) {
    constexpr std::int64_t nights_a_second = 1000;
    return NightlyId{time_s * nights_a_second};
}

NightlyId add_nightly_at(
    Database& db, const NewNightly& nightly, NightlyId from, std::int64_t now_s) {
    auto id = from;
    while (db.has("SELECT 1 FROM nightly WHERE id = ?1", id)) ++id.value;
    auto name = nightly.day;
    for (int number = 2;
         db.has("SELECT 1 FROM nightly WHERE project_id = ?1 AND name = ?2", nightly.project, name);
         ++number) {
        name = nightly.day + "." + std::to_string(number);
    }
    db.execute(
        "INSERT INTO nightly(id, name, project_id, build_id, version, day, revision, beside, "
        "state, created_at_s) VALUES (?8, ?9, ?1, ?2, ?3, ?4, ?5, ?6, 'measuring', ?7)",
        nightly,
        now_s,
        id,
        name);
    if (!nightly.beside) note_night_between(db, nightly.project, id);
    return id;
}

std::optional<NightlyRow> find_sent_night(
    Database& db, ProjectId project, const Revision& revision, const std::string& version) {
    return db.first<NightlyRow>(
        select_nightly + "WHERE project_id = ?1 AND revision = ?2 AND version = ?3 LIMIT 1",
        project,
        revision,
        version);
}

void note_no_summary(Database& db, NightlyId nightly) {
    db.execute("UPDATE nightly SET summed_up = 1 WHERE id = ?1", nightly);
}

void rename_version(Database& db, NightlyId nightly, const std::string& version) {
    db.execute("UPDATE nightly SET version = ?2 WHERE id = ?1", nightly, version);
}

void note_compared(Database& db, NightlyId nightly, int series) {
    db.execute("UPDATE nightly SET compared_series = ?2 WHERE id = ?1", nightly, series);
}

void note_unsummed(Database& db, NightlyId nightly) {
    db.execute("UPDATE nightly SET summed_up = 0 WHERE id = ?1", nightly);
}

void move_nightly(
    Database& db,
    NightlyId nightly,
    NightlyState to,
    const std::string& message,
    std::int64_t now_s) {
    const auto row = load_movable(db, nightly, to);
    const bool ended = to == NightlyState::done || to == NightlyState::failed;
    db.execute(
        "UPDATE nightly SET state = ?2, message = ?3, ended_at_s = ?4 WHERE id = ?1",
        nightly,
        to,
        message,
        ended ? std::optional(now_s) : std::nullopt);
    record_nightly_event(db, row, "nightly." + std::string(to_string(to)), message, now_s);
}

void reopen_nightly(Database& db, NightlyId nightly) {
    load_movable(db, nightly, NightlyState::confirming);
    db.execute("UPDATE nightly SET state = 'confirming', ended_at_s = NULL WHERE id = ?1", nightly);
}

void record_nightly_event(
    Database& db,
    const NightlyRow& nightly,
    std::string_view kind,
    std::string_view message,
    std::int64_t now_s,
    const std::string& data_json) {
    record_event(
        db, now_s, kind, nightly.project, "nightly/" + to_string(nightly.id), message, data_json);
}

StepTries load_tries(Database& db, NightlyId nightly) {
    return db
        .first<StepTries>(
            "SELECT tries, message FROM step_try WHERE subject = ?1", step_of(nightly))
        .value_or(StepTries{});
}

void add_try(Database& db, NightlyId nightly) {
    db.execute(
        "INSERT INTO step_try(subject, tries, message) VALUES (?1, 1, '') "
        "ON CONFLICT(subject) DO UPDATE SET tries = tries + 1",
        step_of(nightly));
}

void note_try_failed(Database& db, NightlyId nightly, const std::string& message) {
    db.execute("UPDATE step_try SET message = ?2 WHERE subject = ?1", step_of(nightly), message);
}

void end_tries(Database& db, NightlyId nightly) {
    db.execute("DELETE FROM step_try WHERE subject = ?1", step_of(nightly));
}

}  // namespace vigil::service
