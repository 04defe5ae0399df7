#include "service/store/findings/probes.hpp"

#include "service/store/findings/bisection_records.hpp"

namespace vigil::service {

std::vector<ProbeRow> list_probes(Database& db, BisectionId bisection) {
    return db.all<ProbeRow>(
        "SELECT p.number, p.plan, p.state = 'open', j.id FROM probe p "
        "LEFT JOIN job j ON j.probe_id = p.id WHERE p.bisection_id = ?1 ORDER BY p.number",
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
        "AND j.state NOT IN ('queued', 'leased'))",
        bisection);
    return count_open_probes(db, bisection);
}

int count_lost_probes(Database& db, BisectionId bisection) {
    return *db.find<int>(
        "SELECT COUNT(*) FROM probe p JOIN job j ON j.probe_id = p.id "
        "WHERE p.bisection_id = ?1 AND j.state IN ('failed', 'parked', 'cancelled')",
        bisection);
}

}  // namespace vigil::service
