#include "service/store/findings/resting.hpp"

namespace vigil::service {

std::vector<RegressionId> list_regressions_on(Database& db, NightlyId nightly, JobId job) {
    return db.all<RegressionId>(
        "SELECT DISTINCT x.regression_id FROM job j CROSS JOIN run r ON r.job_id = j.id "
        "CROSS JOIN series s ON s.project_id = j.project_id AND s.benchmark = r.benchmark "
        "AND s.variant = r.variant AND s.machine_class_id = r.machine_class_id "
        "CROSS JOIN regression_series x ON x.series_id = s.id "
        "CROSS JOIN suspicion u ON u.id = x.suspicion_id WHERE j.id = ?2 "
        "AND (u.nightly_id = ?1 OR u.good_nightly_id = ?1 OR x.recovered_nightly_id = ?1) "
        "ORDER BY x.regression_id",
        nightly,
        job);
}

std::vector<OpenSeries> list_running_again(Database& db, NightlyId nightly) {
    return db.all<OpenSeries>(
        "SELECT x.regression_id, x.series_id FROM nightly n JOIN regression g "
        "ON g.project_id = n.project_id AND g.nightly_id < n.id JOIN regression_series x "
        "ON x.regression_id = g.id AND x.recovered_nightly_id IS NULL JOIN suspicion u "
        "ON u.id = x.suspicion_id AND u.kind = 'outcome' JOIN series s ON s.id = x.series_id "
        "CROSS JOIN run r ON r.build_id = n.build_id AND r.benchmark = s.benchmark "
        "AND r.variant = s.variant AND r.machine_class_id = s.machine_class_id "
        "CROSS JOIN job j ON j.id = r.job_id AND j.attempt = r.attempt AND j.nightly_id = n.id "
        "AND j.purpose = 'nightly' WHERE n.id = ?1 AND g.state IN {open_regressions} "
        "GROUP BY x.regression_id, x.series_id HAVING SUM(r.outcome = 'passed') > 0 "
        "AND SUM(r.outcome IN {failures} OR EXISTS (SELECT 1 FROM case_failure "
        "WHERE run_id = r.id AND case_name = s.case_name)) = 0 AND (s.case_name = '' OR EXISTS "
        "(SELECT 1 FROM night_value v WHERE v.series_id = s.id AND v.nightly_id = n.id))",
        nightly);
}

}  // namespace vigil::service
