#include "service/store/nights/backfills.hpp"

#include <utility>

#include "schema/model/transitions.hpp"
#include "service/store/events.hpp"
#include "service/store/nights/night_commits.hpp"
#include "service/store/nights/nightlies.hpp"

namespace vigil::service {

namespace {

// So many ids are left free before the first night of a project, for its history.
constexpr std::int64_t history_room = 1000;

const std::string select_backfill =
    "SELECT id, project_id, nights, runs_budget, state, message, night_runs, looked_series, "
    "cancelled_by FROM backfill ";

std::string subject_of(BackfillId backfill) {
    return "backfill/" + to_string(backfill);
}

bool is_end(BackfillState state) {
    return state == BackfillState::done || state == BackfillState::cancelled ||
           state == BackfillState::failed;
}

}  // namespace

BackfillRow load_backfill(Database& db, BackfillId backfill) {
    return db.load<BackfillRow>("backfill", select_backfill + "WHERE id = ?1", backfill);
}

std::optional<BackfillRow> find_open_backfill(Database& db, ProjectId project) {
    return db.first<BackfillRow>(
        select_backfill + "WHERE project_id = ?1 AND state IN {open_backfills}", project);
}

std::vector<BackfillRow> list_running_backfills(Database& db) {
    return db.all<BackfillRow>(
        select_backfill +
        "INDEXED BY backfill_open WHERE state IN {open_backfills} "
        "AND state <> 'listing' ORDER BY id");
}

BackfillId add_backfill(
    Database& db, const NewBackfill& backfill, const std::string& words, std::int64_t now_s) {
    const auto id = db.insert<BackfillId>(
        "INSERT INTO backfill(project_id, nights, runs_budget, token, state, created_at_s) "
        "VALUES (?1, ?2, ?3, ?4, 'listing', ?5)",
        backfill,
        now_s);
    record_event(db, now_s, "backfill.asked", backfill.project, subject_of(id), words);
    return id;
}

void move_backfill(
    Database& db,
    BackfillId backfill,
    BackfillState to,
    const std::string& message,
    std::int64_t now_s) {
    const auto row = load_backfill(db, backfill);
    check_move("backfill", backfill, row.state, to);
    db.execute(
        "UPDATE backfill SET state = ?2, message = ?3, ended_at_s = ?4, "
        "begun_at_s = coalesce(begun_at_s, ?5) WHERE id = ?1",
        backfill,
        to,
        message,
        is_end(to) ? std::optional(now_s) : std::nullopt,
        now_s);
    const auto kind = "backfill." + std::string(to_string(to));
    record_event(db, now_s, kind, row.project, subject_of(backfill), message);
}

void note_night_runs(Database& db, BackfillId backfill, std::int64_t runs) {
    db.execute("UPDATE backfill SET night_runs = ?2 WHERE id = ?1", backfill, runs);
}

void note_looked(Database& db, BackfillId backfill, SeriesId series) {
    db.execute("UPDATE backfill SET looked_series = ?2 WHERE id = ?1", backfill, series);
}

void note_cancelled(Database& db, BackfillId backfill, const std::string& token) {
    db.execute("UPDATE backfill SET cancelled_by = ?2 WHERE id = ?1", backfill, token);
}

bool is_looking(Database& db, ProjectId project) {
    const auto open = find_open_backfill(db, project);
    return open && open->state == BackfillState::looking;
}

std::vector<MissingDays> list_missing_days(Database& db, int limit, ProjectId project) {
    const std::string edge =
        "SELECT revision, version, day AS edge FROM night WHERE project_id = ?1 ORDER BY id ";
    std::vector<MissingDays> missing;
    auto rows = db.query(
        "SELECT b.id, b.nights FROM backfill b WHERE b.project_id = ?1 "
        "AND b.state IN {open_backfills} AND b.state = 'listing' LIMIT ?2",
        project,
        limit);
    while (rows.next()) {
        MissingDays wanted{rows.get<BackfillId>(0), rows.get<int>(1), {}, {}};
        try {
            wanted.first_night = db.first<NightEdge>(edge + "LIMIT 1", project);
            wanted.newest_night = db.first<NightEdge>(edge + "DESC LIMIT 1", project);
        } catch (const Error& error) {
            wanted.unreadable = error.what();
        }
        missing.push_back(std::move(wanted));
    }
    return missing;
}

Room find_room(Database& db, ProjectId project) {
    const auto first = db.find<std::int64_t>(
        "SELECT id AS edge FROM nightly WHERE project_id = ?1 ORDER BY id LIMIT 1", project);
    if (first) {
        const auto before =
            db.find<std::int64_t>(
                  "SELECT id AS edge FROM nightly WHERE id < ?1 ORDER BY id DESC LIMIT 1", *first)
                .value_or(0);
        return {NightlyId{*first}, *first - before - 1};
    }
    const auto newest =
        db.find<std::int64_t>(
              "SELECT id AS edge FROM nightly WHERE id < ?1 ORDER BY id DESC LIMIT 1",
              id_at(first_night_s))
            .value_or(0);
    return {NightlyId{newest + history_room + 1}, history_room, true};
}

bool is_known_night(Database& db, ProjectId project, const Revision& revision) {
    return db.has(
        "SELECT 1 FROM nightly WHERE revision = ?2 AND +project_id = ?1 "
        "AND (beside IS NULL OR backfill_id IS NOT NULL) LIMIT 1",
        project,
        revision);
}

bool is_known_version(Database& db, ProjectId project, const std::string& version) {
    return db.has(
        "SELECT 1 FROM nightly WHERE version = ?2 AND project_id = ?1 "
        "AND (beside IS NULL OR backfill_id IS NOT NULL) LIMIT 1",
        project,
        version);
}

void add_past_night(Database& db, const NewPastNight& night, std::int64_t now_s) {
    db.execute(
        "INSERT INTO nightly(id, project_id, build_id, version, day, revision, beside, "
        "backfill_id, state, summed_up, created_at_s) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'measuring', 1, ?9)",
        night,
        now_s);
}

void add_past_archive(Database& db, const PastArchive& archive) {
    db.execute(
        "INSERT INTO past_archive(nightly_id, backfill_id, version, day) VALUES (?1, ?2, ?3, ?4)",
        archive);
}

std::optional<PastArchive> find_next_archive(Database& db, BackfillId backfill) {
    return db.first<PastArchive>(
        "SELECT nightly_id, backfill_id, version, day FROM past_archive "
        "WHERE backfill_id = ?1 AND skipped IS NULL ORDER BY nightly_id LIMIT 1",
        backfill);
}

void end_past_archive(Database& db, NightlyId night) {
    db.execute("DELETE FROM past_archive WHERE nightly_id = ?1", night);
}

void skip_past_archive(
    Database& db, const PastArchive& archive, const std::string& why, std::int64_t now_s) {
    db.execute("UPDATE past_archive SET skipped = ?2 WHERE nightly_id = ?1", archive.night, why);
    const auto project = load_backfill(db, archive.backfill).project;
    const auto words = archive.version + " is skipped: " + why;
    record_event(db, now_s, "backfill.skipped", project, subject_of(archive.backfill), words);
}

std::optional<std::int64_t> find_newest_end_s(Database& db, BackfillId backfill) {
    return db.find<std::int64_t>(
        "SELECT max(ended_at_s) FROM nightly WHERE backfill_id = ?1", backfill);
}

int count_begun(Database& db, BackfillId backfill) {
    return db
        .find<int>(
            "SELECT sum(EXISTS (SELECT 1 FROM job WHERE nightly_id = nightly.id)) FROM nightly "
            "WHERE backfill_id = ?1 AND state = 'measuring'",
            backfill)
        .value_or(0);
}

std::optional<NightlyId> find_next_night(Database& db, BackfillId backfill) {
    return db.find<NightlyId>(
        "SELECT id FROM nightly WHERE backfill_id = ?1 AND state = 'measuring' "
        "AND NOT EXISTS (SELECT 1 FROM job WHERE nightly_id = nightly.id) ORDER BY id LIMIT 1",
        backfill);
}

void drop_waiting_nights(Database& db, BackfillId backfill) {
    db.execute(
        "DELETE FROM nightly WHERE backfill_id = ?1 AND state = 'measuring' "
        "AND NOT EXISTS (SELECT 1 FROM job WHERE nightly_id = nightly.id)",
        backfill);
    db.execute("DELETE FROM past_archive WHERE backfill_id = ?1 AND skipped IS NULL", backfill);
}

std::vector<JobId> list_open_backfill_jobs(Database& db, BackfillId backfill) {
    return db.all<JobId>(
        "SELECT j.id FROM nightly n JOIN job j ON j.nightly_id = n.id "
        "AND j.state IN {open_jobs} WHERE n.backfill_id = ?1",
        backfill);
}

std::vector<NightlyId> join_nights(Database& db, BackfillId backfill) {
    auto joined = db.all<NightlyId>(
        "SELECT id FROM nightly WHERE backfill_id = ?1 AND state = 'done' ORDER BY id", backfill);
    db.execute(
        "UPDATE nightly SET beside = NULL WHERE backfill_id = ?1 AND state = 'done'", backfill);
    if (!joined.empty()) {
        note_night_between(db, load_backfill(db, backfill).project, joined.back());
    }
    return joined;
}

std::optional<JoinedNights> find_joined(Database& db, BackfillId backfill) {
    const auto nights = db.all<NightlyId>(
        "SELECT id FROM nightly WHERE backfill_id = ?1 AND state = 'done' AND beside IS NULL "
        "ORDER BY id",
        backfill);
    if (nights.empty()) return std::nullopt;
    return JoinedNights{nights.front(), nights.back()};
}

std::vector<SeriesId> list_series_after(
    Database& db, ProjectId project, SeriesId after, int limit) {
    return db.all<SeriesId>(
        "SELECT id FROM series WHERE id > ?2 AND +project_id = ?1 ORDER BY id LIMIT ?3",
        project,
        after,
        limit);
}

BackfillCounts count_backfill(Database& db, BackfillId backfill) {
    return db
        .first<BackfillCounts>(
            "SELECT coalesce(sum(state = 'done'), 0), coalesce(sum(state = 'failed'), 0), "
            "(SELECT count(*) FROM past_archive WHERE backfill_id = ?1 AND skipped IS NOT NULL), "
            "(SELECT count(*) FROM drift d JOIN nightly n ON n.id = d.nightly_id "
            "WHERE n.backfill_id = ?1 AND d.kind IN ('past', 'unsure')) "
            "FROM nightly WHERE backfill_id = ?1",
            backfill)
        .value_or(BackfillCounts{});
}

}  // namespace vigil::service
