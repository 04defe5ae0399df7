#include "service/store/findings/probes.hpp"

#include "service/store/work/builds.hpp"

namespace vigil::service {

int close_probes(Database& db, BisectionId bisection) {
    db.execute(
        "UPDATE probe SET state = 'done' WHERE bisection_id = ?1 AND state = 'open' AND EXISTS ("
        "SELECT 1 FROM job j WHERE j.probe_id = probe.id "
        "AND j.state NOT IN ('queued', 'leased'))",
        bisection);
    return db
        .find<int>(
            "SELECT COUNT(*) FROM probe WHERE bisection_id = ?1 AND state = 'open'", bisection)
        .value_or(0);
}

BuildId ensure_suspect_build(
    Database& db, ProjectId project, BisectionId bisection, int position, std::int64_t now_s) {
    auto rows = db.query(
        "SELECT build_id, revision FROM suspect WHERE bisection_id = ?1 AND position = ?2",
        bisection,
        position);
    VIGIL_ASSERT(rows.next());
    if (const auto build = rows.get<std::optional<BuildId>>(0)) return *build;
    const auto build = ensure_source_build(db, project, rows.get<Revision>(1), now_s);
    db.execute(
        "UPDATE suspect SET build_id = ?3 WHERE bisection_id = ?1 AND position = ?2",
        bisection,
        position,
        build);
    return build;
}

}  // namespace vigil::service
