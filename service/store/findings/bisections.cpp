#include "service/store/findings/bisections.hpp"

#include "schema/model/transitions.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

std::optional<InsideOf> find_inside(Database& db, BisectionId bisection) {
    return db.first<InsideOf>(
        "SELECT outer_id, merge, parent, regression_id FROM bisection "
        "WHERE id = ?1 AND outer_id IS NOT NULL",
        bisection);
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
        "outer_id, merge, parent, regression_id FROM bisection WHERE id = ?1",
        bisection);
}

std::vector<BisectionId> list_inside(Database& db, BisectionId outer, const Revision& merge) {
    return db.all<BisectionId>(
        "SELECT id FROM bisection WHERE outer_id = ?1 AND merge = ?2 ORDER BY id", outer, merge);
}

std::vector<OpenBisection> list_open_bisections(Database& db, NightlyId nightly) {
    return db.all<OpenBisection>(
        "SELECT id, state FROM bisection WHERE nightly_id = ?1 "
        "AND state IN ('listing', 'searching', 'verifying') ORDER BY id",
        nightly);
}

BisectionId add_bisection(Database& db, const NewBisection& bisection, std::int64_t now_s) {
    return db.insert<BisectionId>(
        "INSERT INTO bisection(project_id, nightly_id, kind, good_revision, bad_revision, "
        "settings, outer_id, merge, parent, regression_id, state, planner, created_at_s) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'listing', ?11, ?12)",
        bisection,
        search::planner_version,
        now_s);
}

void move_bisection(Database& db, BisectionId bisection, BisectionState to, std::int64_t now_s) {
    const auto from = db.load<BisectionState>(
        "bisection", "SELECT state FROM bisection WHERE id = ?1", bisection);
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
        "WHERE id = ?1 AND state IN ('listing', 'searching', 'verifying')",
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

void tell_of_bisection(
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
        "SELECT id, project_id, good_revision, bad_revision, outer_id IS NOT NULL FROM bisection "
        "WHERE state = 'listing' AND (?2 IS NULL OR project_id = ?2) ORDER BY id LIMIT ?1",
        limit,
        project);
    while (rows.next()) {
        MissingSuspects wanted{rows.get<BisectionId>(0), rows.get<ProjectId>(1), {}, {}};
        try {
            wanted.good = rows.get<Revision>(2);
            wanted.bad = rows.get<Revision>(3);
            wanted.inside = rows.get<bool>(4);
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

}  // namespace vigil::service
