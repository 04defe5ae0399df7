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

}  // namespace vigil::service
