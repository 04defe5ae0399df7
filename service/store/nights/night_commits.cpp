#include "service/store/nights/night_commits.hpp"

namespace vigil::service {

namespace {

std::optional<NightlyId> find_night_before(Database& db, ProjectId project, NightlyId nightly) {
    return db.find<NightlyId>(
        "SELECT id FROM night WHERE project_id = ?1 AND id < ?2 ORDER BY id DESC LIMIT 1",
        project,
        nightly);
}

void read_ends(Database& db, UnlistedNight& night) {
    const auto revision_of = [&](NightlyId id) {
        return db.load<Revision>("nightly", "SELECT revision FROM nightly WHERE id = ?1", id);
    };
    try {
        night.revision = revision_of(night.night);
        if (night.since) night.since_revision = revision_of(*night.since);
    } catch (const Error& error) {
        night.unreadable = error.what();
    }
}

}  // namespace

std::vector<UnlistedNight> list_unlisted_nights(Database& db, ProjectId project, int limit) {
    const auto nights = db.all<NightlyId>(
        "SELECT id FROM nightly INDEXED BY nightly_unlisted WHERE project_id = ?1 "
        "AND commits = 'listing' AND beside IS NULL ORDER BY id DESC LIMIT ?2",
        project,
        limit);
    std::vector<UnlistedNight> unlisted;
    for (const auto night : nights) {
        UnlistedNight one{night, {}, find_night_before(db, project, night), {}};
        read_ends(db, one);
        unlisted.push_back(std::move(one));
    }
    return unlisted;
}

void record_night_commits(Database& db, const UnlistedNight& asked, const NightCommits& commits) {
    const auto project =
        db.load<ProjectId>("nightly", "SELECT project_id FROM nightly WHERE id = ?1", asked.night);
    if (find_night_before(db, project, asked.night) != asked.since) return;
    db.execute("DELETE FROM night_commit WHERE nightly_id = ?1", asked.night);
    db.execute(
        "INSERT INTO night_range(nightly_id, since_id, count, message) VALUES (?1, ?2, ?3, ?4) "
        "ON CONFLICT(nightly_id) DO UPDATE SET since_id = ?2, count = ?3, message = ?4",
        asked.night,
        asked.since,
        commits.count,
        commits.none);
    int position = 0;
    for (const auto& commit : commits.commits) {
        db.execute(
            "INSERT INTO night_commit(nightly_id, position, revision, subject, author, "
            "authored_at_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            asked.night,
            position++,
            commit);
    }
    db.execute(
        "UPDATE nightly SET commits = ?2 WHERE id = ?1",
        asked.night,
        commits.none.empty() ? "listed" : "none");
}

void note_night_between(Database& db, ProjectId project, NightlyId nightly) {
    db.execute(
        "UPDATE nightly SET commits = 'listing' "
        "WHERE id = (SELECT MIN(id) FROM night WHERE id > ?2 AND project_id = ?1)",
        project,
        nightly);
}

KnownCommits load_known_commits(Database& db, NightlyId nightly) {
    return db.load<KnownCommits>(
        "nightly",
        "SELECT n.project_id, n.revision, n.beside, n.commits, ifnull(r.count, 0), "
        "ifnull(r.message, ''), s.id, s.name, s.revision FROM nightly n "
        "LEFT JOIN night_range r ON r.nightly_id = n.id LEFT JOIN nightly s ON s.id = r.since_id "
        "WHERE n.id = ?1",
        nightly);
}

std::vector<NightCommit> list_night_commits(Database& db, NightlyId nightly) {
    return db.all<NightCommit>(
        "SELECT revision, subject, author, authored_at_s FROM night_commit "
        "WHERE nightly_id = ?1 ORDER BY position",
        nightly);
}

}  // namespace vigil::service
