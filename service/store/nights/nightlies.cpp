#include "service/store/nights/nightlies.hpp"

#include "schema/model/transitions.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

namespace {

constexpr const char* select_nightly =
    "SELECT id, project_id, build_id, version, name, state, beside, compared_series FROM nightly ";

std::optional<NightlyRow> read_nightly(Query rows) {
    if (!rows.next()) return std::nullopt;
    return NightlyRow{
        rows.get<NightlyId>(0),
        rows.get<ProjectId>(1),
        rows.get<BuildId>(2),
        rows.get<std::string>(3),
        rows.get<std::string>(4),
        rows.get<NightlyState>(5),
        rows.get<std::optional<std::string>>(6),
        rows.get<std::optional<int>>(7)};
}

std::vector<NightlyId> read_ids(Query rows) {
    std::vector<NightlyId> ids;
    while (rows.next()) ids.push_back(rows.get<NightlyId>(0));
    return ids;
}

NightlyRow load_movable(Database& db, NightlyId nightly, NightlyState to) {
    auto row = load_nightly(db, nightly);
    if (!may_move(row.state, to)) {
        throw Error(
            Errc::conflict,
            "nightly " + to_string(nightly) + " is " + std::string(to_string(row.state)) +
                "; it cannot become " + std::string(to_string(to)));
    }
    return row;
}

}  // namespace

std::optional<NightlyRow> find_nightly(Database& db, NightlyId nightly) {
    return read_nightly(db.query(std::string(select_nightly) + "WHERE id = ?1", nightly));
}

NightlyRow load_nightly(Database& db, NightlyId nightly) {
    auto row = find_nightly(db, nightly);
    if (!row) throw Error(Errc::not_found, "there is no nightly " + to_string(nightly));
    return std::move(*row);
}

std::optional<NightlyRow> find_nightly_of(Database& db, BuildId build) {
    return read_nightly(db.query(
        std::string(select_nightly) + "WHERE build_id = ?1 ORDER BY beside IS NOT NULL, id LIMIT 1",
        build));
}

std::vector<NightlyId> list_open_nightlies(Database& db, int limit) {
    return read_ids(db.query(
        "SELECT id FROM nightly WHERE state IN ('measuring', 'confirming', 'searching') "
        "UNION SELECT nightly_id FROM bisection WHERE state IN ('listing', 'searching', "
        "'verifying') ORDER BY 1 LIMIT ?1",
        limit));
}

std::optional<NewestNight> find_newest_night(Database& db, ProjectId project) {
    auto rows = db.query(
        "SELECT id, name, version, day, revision FROM night WHERE project_id = ?1 "
        "AND state <> 'failed' ORDER BY id DESC LIMIT 1",
        project);
    if (!rows.next()) return std::nullopt;
    return NewestNight{
        rows.get<NightlyId>(0),
        rows.get<std::string>(1),
        rows.get<std::string>(2),
        rows.get<std::string>(3),
        rows.get<Revision>(4)};
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

std::vector<NightlyId> list_nights_before(Database& db, const NightlyRow& nightly, int limit) {
    return read_ids(db.query(
        "SELECT id FROM night WHERE id < ?1 AND state <> 'failed' AND project_id = ?2 "
        "ORDER BY id DESC LIMIT ?3",
        nightly.id,
        nightly.project,
        limit));
}

std::optional<NightlyId> find_night_after(Database& db, ProjectId project, NightlyId nightly) {
    return db.find<NightlyId>(
        "SELECT MIN(id) FROM night WHERE id > ?2 AND project_id = ?1", project, nightly);
}

bool has_unjudged_before(Database& db, const NightlyRow& nightly) {
    return db
        .find<int>(
            "SELECT 1 FROM nightly INDEXED BY nightly_open WHERE project_id = ?1 AND id < ?2 "
            "AND state IN ('measuring', 'confirming', 'searching') AND state <> 'searching' "
            "AND beside IS NULL LIMIT 1",
            nightly.project,
            nightly.id)
        .has_value();
}

NightlyId add_nightly(Database& db, const NewNightly& nightly, std::int64_t now_s) {
    db.execute(
        "INSERT INTO nightly(project_id, build_id, version, day, revision, state, created_at_s, "
        "beside) VALUES (?1, ?2, ?3, ?4, ?5, 'measuring', ?6, ?7)",
        nightly.project,
        nightly.build,
        nightly.version,
        nightly.day,
        nightly.revision,
        now_s,
        nightly.beside);
    return NightlyId{db.last_insert_id()};
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
    tell_of_nightly(db, row, "nightly." + std::string(to_string(to)), message, now_s);
}

void reopen_nightly(Database& db, NightlyId nightly) {
    load_movable(db, nightly, NightlyState::confirming);
    db.execute("UPDATE nightly SET state = 'confirming', ended_at_s = NULL WHERE id = ?1", nightly);
}

void tell_of_nightly(
    Database& db,
    const NightlyRow& nightly,
    std::string_view kind,
    std::string_view message,
    std::int64_t now_s,
    const std::string& data_json) {
    record_event(
        db, now_s, kind, nightly.project, "nightly/" + to_string(nightly.id), message, data_json);
}

}  // namespace vigil::service
