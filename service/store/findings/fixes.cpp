#include "service/store/findings/fixes.hpp"

#include "schema/model/transitions.hpp"

namespace vigil::service {

namespace {

const std::string select_fixes =
    "SELECT m.id, m.regression_id, m.nightly_id, m.bad_nightly_id, m.state, b.revision, n.revision "
    "FROM mending m JOIN nightly b ON b.id = m.bad_nightly_id "
    "JOIN nightly n ON n.id = m.nightly_id ";

}  // namespace

std::optional<FixRow> find_fix(Database& db, RegressionId regression, NightlyId nightly) {
    return db.first<FixRow>(
        select_fixes + "WHERE m.regression_id = ?1 AND m.nightly_id = ?2", regression, nightly);
}

FixRow load_fix(Database& db, FixId fix) {
    return db.load<FixRow>("mending", select_fixes + "WHERE m.id = ?1", fix);
}

FixId add_fix(Database& db, RegressionId regression, NightlyId nightly, NightlyId bad_nightly) {
    return db.insert<FixId>(
        "INSERT INTO mending(regression_id, nightly_id, bad_nightly_id, state) "
        "VALUES (?1, ?2, ?3, 'listing')",
        regression,
        nightly,
        bad_nightly);
}

void remove_fix(Database& db, FixId fix) {
    db.execute("DELETE FROM mending WHERE id = ?1", fix);
}

bool note_commits(Database& db, FixId fix, const FixCommits& commits) {
    const auto noted = db.execute(
        "UPDATE mending SET state = 'listed', commits = ?2 WHERE id = ?1 AND state = 'listing'",
        fix,
        commits);
    return noted > 0;
}

FixCommits load_commits(Database& db, FixId fix) {
    return *db.find<FixCommits>("SELECT commits FROM mending WHERE id = ?1", fix);
}

void mark_reported(Database& db, FixId fix, const Fix& told) {
    check_move("mending", fix, load_fix(db, fix).state, FixState::told);
    db.execute(
        "UPDATE mending SET state = 'told', told = ?2, commits = '{}' WHERE id = ?1", fix, told);
}

Fix load_told(Database& db, FixId fix) {
    return *db.find<Fix>("SELECT told FROM mending WHERE id = ?1", fix);
}

std::vector<FixRow> list_unmeasured(Database& db, NightlyId nightly) {
    return db.all<FixRow>(
        select_fixes +
            "WHERE m.nightly_id = ?1 AND m.state = 'told' AND m.bisection_id IS NULL "
            "AND json_extract(m.told, '$.by') = 'one_of' "
            "AND json_extract(m.told, '$.line_commits') > 0 ORDER BY m.id",
        nightly);
}

std::optional<FixRow> find_measured(Database& db, BisectionId bisection) {
    return db.first<FixRow>(select_fixes + "WHERE m.bisection_id = ?1", bisection);
}

void note_search(Database& db, FixId fix, BisectionId bisection) {
    db.execute("UPDATE mending SET bisection_id = ?2 WHERE id = ?1", fix, bisection);
}

std::optional<FixRow> find_vain_revert(Database& db, RegressionId regression) {
    return db.first<FixRow>(
        select_fixes +
            "WHERE m.regression_id = ?1 AND m.state = 'told' "
            "AND json_extract(m.told, '$.by') = 'revert' AND NOT EXISTS (SELECT 1 "
            "FROM regression_series x WHERE x.regression_id = ?1 "
            "AND x.recovered_nightly_id = m.nightly_id) ORDER BY m.nightly_id DESC LIMIT 1",
        regression);
}

void forget_unfixed(Database& db, NightlyId nightly) {
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

bool waits_for_fix(Database& db, NightlyId nightly) {
    return db.has(
        "SELECT 1 FROM mending WHERE nightly_id = ?1 AND state = 'listing' LIMIT 1", nightly);
}

std::vector<MissingFix> list_missing_fixes(
    Database& db, int limit, std::optional<ProjectId> project) {
    std::vector<MissingFix> missing;
    auto rows = db.query(
        "SELECT m.id, n.project_id, b.revision, n.revision FROM mending m "
        "JOIN nightly n ON n.id = m.nightly_id JOIN nightly b ON b.id = m.bad_nightly_id "
        "WHERE m.state = 'listing' AND (?2 IS NULL OR n.project_id = ?2) ORDER BY m.id LIMIT ?1",
        limit,
        project);
    while (rows.next()) {
        MissingFix wanted{rows.get<FixId>(0), rows.get<ProjectId>(1), {}, {}};
        try {
            wanted.bad = rows.get<Revision>(2);
            wanted.fixed = rows.get<Revision>(3);
        } catch (const Error& error) {
            wanted.unreadable = error.what();
        }
        missing.push_back(std::move(wanted));
    }
    return missing;
}

}  // namespace vigil::service
