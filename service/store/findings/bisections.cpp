#include "service/store/findings/bisections.hpp"

#include "schema/model/transitions.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

namespace {

[[noreturn]] void throw_no_bisection(BisectionId bisection) {
    throw Error(Errc::not_found, "there is no bisection " + to_string(bisection));
}

}  // namespace

std::optional<InsideOf> find_inside(Database& db, BisectionId bisection) {
    auto row = db.query(
        "SELECT outer_id, merge, parent, regression_id FROM bisection "
        "WHERE id = ?1 AND outer_id IS NOT NULL",
        bisection);
    if (!row.next()) return std::nullopt;
    return InsideOf{
        row.get<BisectionId>(0), row.get<Revision>(1), row.get<int>(2), row.get<RegressionId>(3)};
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
    BisectionRow found;
    {
        auto row = db.query(
            "SELECT project_id, nightly_id, kind, state, planner, settings, conclusion <> '{}' "
            "FROM bisection WHERE id = ?1",
            bisection);
        if (!row.next()) throw_no_bisection(bisection);
        found.id = bisection;
        found.project = row.get<ProjectId>(0);
        found.nightly = row.get<NightlyId>(1);
        found.kind = row.get<BisectionKind>(2);
        found.state = row.get<BisectionState>(3);
        found.planner = row.get<int>(4);
        found.settings = parse_settings(row.get<std::string>(5));
        found.is_concluded = row.get<bool>(6);
    }
    found.inside = find_inside(db, bisection);
    return found;
}

std::vector<BisectionId> list_inside(Database& db, BisectionId outer, const Revision& merge) {
    std::vector<BisectionId> inside;
    auto rows = db.query(
        "SELECT id FROM bisection WHERE outer_id = ?1 AND merge = ?2 ORDER BY id", outer, merge);
    while (rows.next()) inside.push_back(rows.get<BisectionId>(0));
    return inside;
}

BisectionId add_bisection(Database& db, const NewBisection& bisection, std::int64_t now_s) {
    const auto& inside = bisection.inside;
    db.execute(
        "INSERT INTO bisection(project_id, nightly_id, kind, good_revision, bad_revision, state, "
        "planner, settings, created_at_s, outer_id, merge, parent, regression_id) "
        "VALUES (?1, ?2, ?3, ?4, ?5, 'listing', ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        bisection.project,
        bisection.nightly,
        bisection.kind,
        bisection.good,
        bisection.bad,
        search::planner_version,
        to_text(bisection.settings),
        now_s,
        inside ? std::optional(inside->outer) : std::nullopt,
        inside ? std::optional(inside->merge) : std::nullopt,
        inside ? std::optional(inside->parent) : std::nullopt,
        inside ? std::optional(inside->regression) : std::nullopt);
    return BisectionId{db.last_insert_id()};
}

void move_bisection(Database& db, BisectionId bisection, BisectionState to, std::int64_t now_s) {
    const auto from =
        db.find<BisectionState>("SELECT state FROM bisection WHERE id = ?1", bisection);
    if (!from) throw_no_bisection(bisection);
    if (!may_move(*from, to)) {
        throw Error(
            Errc::conflict,
            "bisection " + to_string(bisection) + " is " + std::string(to_string(*from)) +
                "; it cannot become " + std::string(to_string(to)));
    }
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
    db.execute(
        "UPDATE bisection SET conclusion = ?2 WHERE id = ?1", bisection, to_text(conclusion));
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
    std::vector<MissingLog> missing;
    auto rows = db.query(
        "SELECT b.id, (SELECT p.log_digest FROM suspect s JOIN build c "
        "ON c.project_id = b.project_id AND c.revision = s.revision "
        "AND c.input_kind = 'source_tree' JOIN product p ON p.build_id = c.id "
        "AND p.state = 'failed' WHERE s.bisection_id = b.id "
        "AND s.position = json_extract(b.conclusion, '$.endings[0].first') "
        "ORDER BY p.id DESC LIMIT 1) FROM bisection b WHERE b.kind = 'build' "
        "AND b.state = 'searching' AND b.conclusion <> '{}' ORDER BY b.id LIMIT ?1",
        limit);
    while (rows.next()) {
        missing.push_back({rows.get<BisectionId>(0), rows.get<std::optional<Digest>>(1)});
    }
    return missing;
}

}  // namespace vigil::service
