#include "service/store/findings/probes.hpp"

#include "service/store/findings/bisection_records.hpp"

namespace vigil::service {

std::vector<ProbeRow> list_probes(Database& db, BisectionId bisection) {
    std::vector<ProbeRow> probes;
    auto rows = db.query(
        "SELECT p.number, p.plan, p.state = 'open', j.id FROM probe p "
        "LEFT JOIN job j ON j.probe_id = p.id WHERE p.bisection_id = ?1 ORDER BY p.number",
        bisection);
    while (rows.next()) {
        probes.push_back(
            {rows.get<int>(0),
             parse_probe_plan(rows.get<std::string>(1)),
             rows.get<bool>(2),
             rows.get<std::optional<JobId>>(3)});
    }
    return probes;
}

ProbeId add_probe(
    Database& db,
    BisectionId bisection,
    int number,
    const search::ProbeRequest& plan,
    std::int64_t now_s) {
    db.execute(
        "INSERT INTO probe(bisection_id, number, plan, state, created_at_s) "
        "VALUES (?1, ?2, ?3, 'open', ?4)",
        bisection,
        number,
        to_text(plan),
        now_s);
    return ProbeId{db.last_insert_id()};
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
