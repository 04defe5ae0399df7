#pragma once

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

namespace vigil::tests {

/// Regressions of a project that the config does not name, like `like` and before all others: their
/// ids are below 0.
inline void add_regressions_of_another(service::Database& db, RegressionId like, int count) {
    db.execute("INSERT INTO project(name, created_at_s) VALUES ('no longer watched', 0)");
    db.execute(
        "INSERT INTO regression(id, project_id, nightly_id, state, good_build_id, bad_build_id, "
        "bisection_id, culprit, created_at_s, changed_at_s) "
        "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?2) "
        "SELECT -n, (SELECT max(id) FROM project), nightly_id, state, good_build_id, bad_build_id, "
        "bisection_id, culprit, created_at_s, changed_at_s FROM number JOIN regression g "
        "ON g.id = ?1",
        like,
        count);
}

}  // namespace vigil::tests
