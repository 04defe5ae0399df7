#include "service/store/work/traces.hpp"

namespace vigil::service {

std::optional<std::string> find_traceparent(Database& db, JobId job) {
    return db.find<std::string>(
        "WITH origin(nightly_id, request_id) AS ("
        "SELECT coalesce(j.nightly_id, s.nightly_id, b.nightly_id), coalesce(s.request_id, r.id) "
        "FROM job j LEFT JOIN session s ON s.id = j.session_id "
        "LEFT JOIN probe p ON p.id = j.probe_id LEFT JOIN bisection b ON b.id = p.bisection_id "
        "LEFT JOIN request r ON r.bisection_id = b.id WHERE j.id = ?1) "
        "SELECT traceparent FROM request "
        "WHERE id = (SELECT request_id FROM origin) AND traceparent <> '' UNION ALL "
        "SELECT * FROM (SELECT traceparent FROM trigger_request "
        "WHERE nightly_id = (SELECT nightly_id FROM origin) AND traceparent <> '' "
        "ORDER BY id LIMIT 1) LIMIT 1",
        job);
}

}  // namespace vigil::service
