#include "service/store/findings/mendings.hpp"

namespace vigil::service {

std::optional<MendingRow> find_mending(Database& db, RegressionId regression, NightlyId nightly) {
    const auto found = db.find<MendingId>(
        "SELECT id FROM mending WHERE regression_id = ?1 AND nightly_id = ?2", regression, nightly);
    return found ? std::optional(load_mending(db, *found)) : std::nullopt;
}

MendingRow load_mending(Database& db, MendingId mending) {
    auto row = db.query(
        "SELECT m.regression_id, m.nightly_id, m.bad_nightly_id, m.state, b.revision, n.revision "
        "FROM mending m JOIN nightly b ON b.id = m.bad_nightly_id "
        "JOIN nightly n ON n.id = m.nightly_id WHERE m.id = ?1",
        mending);
    if (!row.next()) throw Error(Errc::not_found, "there is no mending " + to_string(mending));
    return {
        mending,
        row.get<RegressionId>(0),
        row.get<NightlyId>(1),
        row.get<NightlyId>(2),
        row.get<MendingState>(3),
        row.get<Revision>(4),
        row.get<Revision>(5)};
}

MendingId add_mending(
    Database& db, RegressionId regression, NightlyId nightly, NightlyId bad_nightly) {
    db.execute(
        "INSERT INTO mending(regression_id, nightly_id, bad_nightly_id, state) "
        "VALUES (?1, ?2, ?3, 'listing')",
        regression,
        nightly,
        bad_nightly);
    return MendingId{db.last_insert_id()};
}

void remove_mending(Database& db, MendingId mending) {
    db.execute("DELETE FROM mending WHERE id = ?1", mending);
}

bool note_commits(Database& db, MendingId mending, const MendingCommits& commits) {
    const auto noted = db.execute(
        "UPDATE mending SET state = 'listed', commits = ?2 WHERE id = ?1 AND state = 'listing'",
        mending,
        to_text(commits));
    return noted > 0;
}

MendingCommits load_commits(Database& db, MendingId mending) {
    return parse_mending_commits(
        *db.find<std::string>("SELECT commits FROM mending WHERE id = ?1", mending));
}

void note_told(Database& db, MendingId mending, const Mending& told) {
    db.execute(
        "UPDATE mending SET state = 'told', told = ?2, commits = '{}' WHERE id = ?1",
        mending,
        to_text(told));
}

void forget_unmended(Database& db, NightlyId nightly) {
    db.execute(
        "DELETE FROM mending WHERE nightly_id = ?1 AND NOT EXISTS (SELECT 1 "
        "FROM regression_series x WHERE x.regression_id = mending.regression_id "
        "AND x.recovered_nightly_id = ?1)",
        nightly);
}

void ask_again(Database& db, RegressionId regression) {
    db.execute(
        "UPDATE mending SET state = 'listing' WHERE regression_id = ?1 AND state = 'told' "
        "AND json_extract(told, '$.by') <> 'revert'",
        regression);
}

bool waits_for_mending(Database& db, NightlyId nightly) {
    return db
        .find<int>(
            "SELECT 1 FROM mending WHERE nightly_id = ?1 AND state = 'listing' LIMIT 1", nightly)
        .has_value();
}

std::vector<MissingMending> list_missing_mendings(
    Database& db, int limit, std::optional<ProjectId> project) {
    std::vector<MissingMending> missing;
    auto rows = db.query(
        "SELECT m.id, n.project_id, b.revision, n.revision FROM mending m "
        "JOIN nightly n ON n.id = m.nightly_id JOIN nightly b ON b.id = m.bad_nightly_id "
        "WHERE m.state = 'listing' AND (?2 IS NULL OR n.project_id = ?2) ORDER BY m.id LIMIT ?1",
        limit,
        project);
    while (rows.next()) {
        MissingMending wanted{rows.get<MendingId>(0), rows.get<ProjectId>(1), {}, {}};
        try {
            wanted.bad = rows.get<Revision>(2);
            wanted.mended = rows.get<Revision>(3);
        } catch (const Error& error) {
            wanted.unreadable = error.what();
        }
        missing.push_back(std::move(wanted));
    }
    return missing;
}

}  // namespace vigil::service
