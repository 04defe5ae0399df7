#include "service/store/findings/bisections.hpp"

#include "schema/model/transitions.hpp"
#include "service/store/events.hpp"
#include "service/store/findings/bisection_records.hpp"
#include "service/store/json_columns.hpp"
#include "service/store/work/builds.hpp"

namespace vigil::service {

std::optional<InsideOf> find_inside(Database& db, BisectionId bisection) {
    return db.first<InsideOf>(
        "SELECT outer_id, merge, parent, regression_id, dependency FROM bisection "
        "WHERE id = ?1 AND outer_id IS NOT NULL",
        bisection);
}

BisectionId find_newest_inside(Database& db, BisectionId outermost) {
    return db
        .find<BisectionId>(
            "WITH RECURSIVE inner(id) AS (SELECT ?1 UNION ALL SELECT b.id FROM inner i "
            "CROSS JOIN bisection b ON b.outer_id = i.id) SELECT max(id) FROM inner",
            outermost)
        .value();
}

std::vector<InsideOf> list_way_in(Database& db, BisectionId bisection) {
    std::vector<InsideOf> way;
    while (auto inside = find_inside(db, bisection)) {
        bisection = inside->outer;
        way.push_back(std::move(*inside));
    }
    return way;
}

BisectionRow load_bisection(Database& db, BisectionId bisection) {
    return db.load<BisectionRow>(
        "bisection",
        "SELECT id, project_id, nightly_id, kind, state, planner, settings, conclusion <> '{}', "
        "outer_id, merge, parent, regression_id, dependency FROM bisection WHERE id = ?1",
        bisection);
}

BisectionState load_bisection_state(Database& db, BisectionId bisection) {
    return db.load<BisectionState>(
        "bisection", "SELECT state FROM bisection WHERE id = ?1", bisection);
}

std::vector<BisectionId> list_inside(Database& db, BisectionId outer, const Revision& merge) {
    return db.all<BisectionId>(
        "SELECT id FROM bisection WHERE outer_id = ?1 AND merge = ?2 ORDER BY id", outer, merge);
}

std::vector<OpenBisection> list_open_bisections(Database& db, NightlyId nightly) {
    return db.all<OpenBisection>(
        "SELECT id, kind, state FROM bisection WHERE nightly_id = ?1 "
        "AND state IN {open_bisections} ORDER BY id",
        nightly);
}

BisectionId add_bisection(Database& db, const NewBisection& bisection, std::int64_t now_s) {
    return db.insert<BisectionId>(
        "INSERT INTO bisection(project_id, nightly_id, kind, good_revision, bad_revision, "
        "settings, outer_id, merge, parent, regression_id, dependency, state, planner, "
        "created_at_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, coalesce(?11, ''), "
        "'listing', ?12, ?13)",
        bisection,
        search::planner_version,
        now_s);
}

void move_bisection(Database& db, BisectionId bisection, BisectionState to, std::int64_t now_s) {
    const auto from = load_bisection_state(db, bisection);
    check_move("bisection", bisection, from, to);
    const bool ended = to == BisectionState::done || to == BisectionState::failed;
    db.execute(
        "UPDATE bisection SET state = ?2, ended_at_s = ?3 WHERE id = ?1",
        bisection,
        to,
        ended ? std::optional(now_s) : std::nullopt);
}

void note_planner(Database& db, BisectionId bisection, int version) {
    db.execute("UPDATE bisection SET planner = ?2 WHERE id = ?1", bisection, version);
}

void note_conclusion(Database& db, BisectionId bisection, const BisectionConclusion& conclusion) {
    db.execute("UPDATE bisection SET conclusion = ?2 WHERE id = ?1", bisection, conclusion);
}

void fail_unreadable_bisection(
    Database& db,
    BisectionId bisection,
    const BisectionConclusion& conclusion,
    std::int64_t now_s) {
    db.execute(
        "UPDATE bisection SET state = 'failed', conclusion = ?2, settings = ?3, ended_at_s = ?4 "
        "WHERE id = ?1 AND state IN {open_bisections}",
        bisection,
        conclusion,
        BisectionSettings{},
        now_s);
}

bool note_log_tail(Database& db, BisectionId bisection, const std::string& tail) {
    const auto noted = db.execute(
        "UPDATE bisection SET log_tail = ?2 WHERE id = ?1 AND kind = 'build' "
        "AND state = 'searching'",
        bisection,
        tail);
    return noted > 0;
}

void record_bisection_event(
    Database& db,
    BisectionId bisection,
    std::string_view what,
    const std::string& words,
    std::int64_t now_s) {
    record_event(
        db,
        now_s,
        "bisection." + std::string(what),
        db.find<ProjectId>("SELECT project_id FROM bisection WHERE id = ?1", bisection),
        "bisection/" + to_string(bisection),
        words);
}

std::vector<MissingSuspects> list_missing_suspects(
    Database& db, int limit, std::optional<ProjectId> project) {
    std::vector<MissingSuspects> missing;
    auto rows = db.query(
        "SELECT id, project_id, good_revision, bad_revision, outer_id IS NOT NULL, dependency, "
        "kind = 'nights' FROM bisection WHERE state = 'listing' "
        "AND (?2 IS NULL OR project_id = ?2) ORDER BY id LIMIT ?1",
        limit,
        project);
    while (rows.next()) {
        MissingSuspects wanted{rows.get<BisectionId>(0), rows.get<ProjectId>(1), {}, {}};
        try {
            wanted.good = rows.get<Revision>(2);
            wanted.bad = rows.get<Revision>(3);
            wanted.inside = rows.get<bool>(4);
            wanted.dependency = rows.get<std::string>(5);
            wanted.of_nights = rows.get<bool>(6);
        } catch (const Error& error) {
            wanted.unreadable = error.what();
        }
        missing.push_back(std::move(wanted));
    }
    return missing;
}

std::vector<MissingLog> list_missing_logs(Database& db, int limit) {
    return db.all<MissingLog>(
        "SELECT b.id, (SELECT p.log_digest FROM suspect s JOIN build c "
        "ON c.project_id = b.project_id AND c.revision = s.revision "
        "AND c.input_kind = 'source_tree' JOIN product p ON p.build_id = c.id "
        "AND p.state = 'failed' WHERE s.bisection_id = b.id "
        "AND s.position = json_extract(b.conclusion, '$.endings[0].first') "
        "ORDER BY p.id DESC LIMIT 1) FROM bisection b WHERE b.kind = 'build' "
        "AND b.state = 'searching' AND b.conclusion <> '{}' ORDER BY b.id LIMIT ?1",
        limit);
}

std::vector<SuspectRow> list_suspects(Database& db, BisectionId bisection) {
    return db.all<SuspectRow>(
        "SELECT revision, parent, brought, subject, author, build_id, commits, dependency, "
        "stands_for FROM suspect WHERE bisection_id = ?1 ORDER BY position",
        bisection);
}

void add_suspects(Database& db, BisectionId bisection, const history::Range& range) {
    const auto project =
        db.find<ProjectId>("SELECT project_id FROM bisection WHERE id = ?1", bisection);
    const auto insert = [&](int position, const Revision& revision, const history::Commit& commit) {
        db.execute(
            "INSERT INTO suspect(bisection_id, position, revision, parent, merge, subject, "
            "author, authored_at_s, build_id, pins, brought, commits, dependency, stands_for) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
            bisection,
            position,
            revision,
            commit.parent,
            commit.merge,
            commit.subject,
            commit.author,
            commit.authored_at_s,
            find_source_build(db, *project, revision),
            commit.pins,
            commit.brought,
            commit.commits,
            commit.dependency,
            commit.stands_for);
        if (commit.email.empty()) return;
        db.execute(
            "INSERT INTO author_email(revision, email) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            revision,
            commit.email);
    };
    insert(0, range.base, {});
    int position = 0;
    for (const auto& commit : range.suspects) insert(++position, commit.revision, commit);
    db.execute("UPDATE bisection SET good_revision = ?2 WHERE id = ?1", bisection, range.base);
}

NightEnds load_night_ends(Database& db, BisectionId nights) {
    return db.load<NightEnds>(
        "search of nights",
        "SELECT good.revision, good.version, good.day, bad.revision, bad.version, bad.day, "
        "r.good_build_id, r.bad_build_id "
        "FROM regression r JOIN nightly good ON good.build_id = r.good_build_id "
        "JOIN nightly bad ON bad.id = r.nightly_id WHERE r.bisection_id = ?1 "
        "ORDER BY r.id, good.beside IS NOT NULL LIMIT 1",
        nights);
}

void go_on_with(Database& db, BisectionId nights, BisectionId commits) {
    db.execute("UPDATE bisection SET narrowed_by = ?1 WHERE id = ?2", nights, commits);
    db.execute("UPDATE regression SET bisection_id = ?2 WHERE bisection_id = ?1", nights, commits);
}

void note_suspect_build(Database& db, BisectionId bisection, int position, BuildId build) {
    db.execute(
        "UPDATE suspect SET build_id = ?3 WHERE bisection_id = ?1 AND position = ?2",
        bisection,
        position,
        build);
}

BuildId ensure_suspect_build(
    Database& db, const BisectionRow& bisection, int position, std::int64_t now_s) {
    auto rows = db.query(
        "SELECT build_id, revision FROM suspect WHERE bisection_id = ?1 AND position = ?2",
        bisection.id,
        position);
    VIGIL_ASSERT(rows.next());
    if (const auto build = rows.get<std::optional<BuildId>>(0)) return *build;
    const auto build = ensure_source_build(db, bisection.project, rows.get<Revision>(1), now_s);
    note_suspect_build(db, bisection.id, position, build);
    return build;
}

std::vector<search::BuildTries> list_build_tries(
    Database& db, const BisectionRow& bisection, const Digest& recipe) {
    return db.all<search::BuildTries>(
        "SELECT COALESCE(MAX(p.state = 'built'), 0), COALESCE(MAX(p.failures), 0) "
        "FROM suspect s LEFT JOIN build b ON b.project_id = ?2 AND b.revision = s.revision "
        "AND b.input_kind = 'source_tree' LEFT JOIN product p ON p.build_id = b.id "
        "AND p.recipe_digest = ?3 WHERE s.bisection_id = ?1 GROUP BY s.position "
        "ORDER BY s.position",
        bisection.id,
        bisection.project,
        recipe);
}

std::vector<ProbeRow> list_probes(Database& db, BisectionId bisection) {
    return db.all<ProbeRow>(
        "SELECT p.number, p.plan, p.state = 'open', j.id, coalesce(w.name, '') FROM probe p "
        "LEFT JOIN job j ON j.probe_id = p.id LEFT JOIN worker w ON w.id = j.worker_id WHERE "
        "p.bisection_id = ?1 ORDER BY p.number",
        bisection);
}

ProbeId add_probe(
    Database& db,
    BisectionId bisection,
    int number,
    const search::ProbeRequest& plan,
    std::int64_t now_s) {
    return db.insert<ProbeId>(
        "INSERT INTO probe(bisection_id, number, plan, state, created_at_s) "
        "VALUES (?1, ?2, ?3, 'open', ?4)",
        bisection,
        number,
        plan,
        now_s);
}

int count_probes(Database& db, BisectionId bisection) {
    return *db.find<int>("SELECT COUNT(*) FROM probe WHERE bisection_id = ?1", bisection);
}

int count_open_probes(Database& db, BisectionId bisection) {
    return *db.find<int>(
        "SELECT COUNT(*) FROM probe WHERE bisection_id = ?1 AND state = 'open'", bisection);
}

int close_probes(Database& db, BisectionId bisection) {
    db.execute(
        "UPDATE probe SET state = 'done' WHERE bisection_id = ?1 AND state = 'open' AND EXISTS ("
        "SELECT 1 FROM job j WHERE j.probe_id = probe.id "
        "AND j.state NOT IN {open_jobs})",
        bisection);
    return count_open_probes(db, bisection);
}

int count_lost_probes(Database& db, BisectionId bisection) {
    return *db.find<int>(
        "SELECT COUNT(*) FROM probe p JOIN job j ON j.probe_id = p.id "
        "WHERE p.bisection_id = ?1 AND j.state IN {undone_jobs}",
        bisection);
}

}  // namespace vigil::service
