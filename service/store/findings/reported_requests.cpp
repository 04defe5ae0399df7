#include "service/store/findings/reported_requests.hpp"

#include "service/store/json_columns.hpp"

namespace vigil::service {

ReportedRequest load_reported_request(Database& db, RequestId request) {
    return db.load<ReportedRequest>(
        "request",
        "SELECT r.id, p.name, r.kind, r.state, r.message, a.revision, b.revision FROM request r "
        "JOIN project p ON p.id = r.project_id LEFT JOIN build a ON a.id = r.a_build_id "
        "LEFT JOIN build b ON b.id = r.b_build_id WHERE r.id = ?1",
        request);
}

std::vector<JudgedSeries> list_judged_series(Database& db, RequestId request) {
    return db.all<JudgedSeries>(
        "SELECT s.id, s.shown, s.variant, m.name, s.metric, s.unit, v.verdict, v.comparison "
        "FROM session x CROSS JOIN request_verdict v ON v.session_id = x.id "
        "JOIN series s ON s.id = v.series_id JOIN machine_class m ON m.id = s.machine_class_id "
        "WHERE x.request_id = ?1 ORDER BY x.id, s.id",
        request);
}

std::vector<UnjudgedVariant> list_unjudged_variants(Database& db, RequestId request) {
    return db.all<UnjudgedVariant>(
        "SELECT x.id, x.benchmark, x.variant, m.name, x.message FROM session x "
        "JOIN machine_class m ON m.id = x.machine_class_id WHERE x.request_id = ?1 "
        "AND NOT EXISTS (SELECT 1 FROM request_verdict v WHERE v.session_id = x.id) ORDER BY x.id",
        request);
}

}  // namespace vigil::service
