#include "service/store/findings/suspects.hpp"

#include "service/store/json_columns.hpp"
#include "service/store/work/builds.hpp"

namespace vigil::service {

std::vector<SuspectRow> list_suspects(Database& db, BisectionId bisection) {
    return db.all<SuspectRow>(
        "SELECT revision, parent, brought, subject, build_id FROM suspect WHERE bisection_id = ?1 "
        "ORDER BY position",
        bisection);
}

void add_suspects(Database& db, BisectionId bisection, const history::Range& range) {
    const auto project =
        db.find<ProjectId>("SELECT project_id FROM bisection WHERE id = ?1", bisection);
    const auto insert = [&](int position, const Revision& revision, const history::Commit& commit) {
        db.execute(
            "INSERT INTO suspect(bisection_id, position, revision, parent, merge, subject, "
            "author, authored_at_s, build_id, pins, brought) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
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
            commit.brought);
    };
    insert(0, range.base, {});
    int position = 0;
    for (const auto& commit : range.suspects) insert(++position, commit.revision, commit);
    db.execute("UPDATE bisection SET good_revision = ?2 WHERE id = ?1", bisection, range.base);
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
    db.execute(
        "UPDATE suspect SET build_id = ?3 WHERE bisection_id = ?1 AND position = ?2",
        bisection.id,
        position,
        build);
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

}  // namespace vigil::service
