#include "service/store/findings/mendings.hpp"

#include "schema/model/transitions.hpp"

namespace vigil::service {

namespace {

const std::string select_mendings =
    "SELECT m.id, m.regression_id, m.nightly_id, m.bad_nightly_id, m.state, b.revision, n.revision "
    "FROM mending m JOIN nightly b ON b.id = m.bad_nightly_id "
    "JOIN nightly n ON n.id = m.nightly_id ";

}  // namespace

std::optional<MendingRow> find_mending(Database& db, RegressionId regression, NightlyId nightly) {
    return db.first<MendingRow>(
        select_mendings + "WHERE m.regression_id = ?1 AND m.nightly_id = ?2", regression, nightly);
}

MendingRow load_mending(Database& db, MendingId mending) {
    return db.load<MendingRow>("mending", select_mendings + "WHERE m.id = ?1", mending);
}

MendingId add_mending(
    Database& db, RegressionId regression, NightlyId nightly, NightlyId bad_nightly) {
    return db.insert<MendingId>(
        "INSERT INTO mending(regression_id, nightly_id, bad_nightly_id, state) "
        "VALUES (?1, ?2, ?3, 'listing')",
        regression,
        nightly,
        bad_nightly);
}

void remove_mending(Database& db, MendingId mending) {
    db.execute("DELETE FROM mending WHERE id = ?1", mending);
}

bool note_commits(Database& db, MendingId mending, const MendingCommits& commits) {
    const auto noted = db.execute(
        "UPDATE mending SET state = 'listed', commits = ?2 WHERE id = ?1 AND state = 'listing'",
        mending,
        commits);
    return noted > 0;
}

MendingCommits load_commits(Database& db, MendingId mending) {
    return *db.find<MendingCommits>("SELECT commits FROM mending WHERE id = ?1", mending);
}

void note_told(Database& db, MendingId mending, const Mending& told) {
    check_move("mending", mending, load_mending(db, mending).state, MendingState::told);
    db.execute(
        "UPDATE mending SET state = 'told', told = ?2, commits = '{}' WHERE id = ?1",
        mending,
        told);
}

Mending load_told(Database& db, MendingId mending) {
    return *db.find<Mending>("SELECT told FROM mending WHERE id = ?1", mending);
}

std::vector<MendingRow> list_unmeasured(Database& db, NightlyId nightly) {
    return db.all<MendingRow>(
        select_mendings +
            "WHERE m.nightly_id = ?1 AND m.state = 'told' AND m.bisection_id IS NULL "
            "AND json_extract(m.told, '$.by') = 'one_of' "
            "AND json_extract(m.told, '$.line_commits') > 0 ORDER BY m.id",
        nightly);
}

std::optional<MendingRow> find_measured(Database& db, BisectionId bisection) {
    return db.first<MendingRow>(select_mendings + "WHERE m.bisection_id = ?1", bisection);
}

void note_search(Database& db, MendingId mending, BisectionId bisection) {
    db.execute("UPDATE mending SET bisection_id = ?2 WHERE id = ?1", mending, bisection);
}

std::optional<MendingRow> find_vain_revert(Database& db, RegressionId regression) {
    return db.first<MendingRow>(
        select_mendings +
            "WHERE m.regression_id = ?1 AND m.state = 'told' "
            "AND json_extract(m.told, '$.by') = 'revert' AND NOT EXISTS (SELECT 1 "
            "FROM regression_series x WHERE x.regression_id = ?1 "
            "AND x.recovered_nightly_id = m.nightly_id) ORDER BY m.nightly_id DESC LIMIT 1",
        regression);
}

void forget_unmended(Database& db, NightlyId nightly) {
    db.execute(
        "DELETE FROM mending WHERE nightly_id = ?1 AND state <> 'told' AND NOT EXISTS (SELECT 1 "
        "FROM regression_series x WHERE x.regression_id = mending.regression_id "
        "AND x.recovered_nightly_id = ?1)",
        nightly);
}

void ask_again(Database& db, RegressionId regression) {
    db.execute(
        "UPDATE mending SET state = 'listing' WHERE regression_id = ?1 AND state = 'told' "
        "AND bisection_id IS NULL AND json_extract(told, '$.by') <> 'revert'",
        regression);
}

bool waits_for_mending(Database& db, NightlyId nightly) {
    return db.has(
        "SELECT 1 FROM mending WHERE nightly_id = ?1 AND state = 'listing' LIMIT 1", nightly);
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
