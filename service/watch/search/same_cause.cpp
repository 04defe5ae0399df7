#include "service/watch/search/same_cause.hpp"

#include <optional>
#include <string>

#include "schema/model/states.hpp"
#include "service/store/events.hpp"
#include "service/store/findings/regressions.hpp"

namespace vigil::service {

namespace {

// Two searches, from different old builds, may end at the same few commits that cannot be told
// apart.
std::optional<RegressionId> find_same_range(Database& db, RegressionId regression) {
    return db.find<RegressionId>(
        "SELECT o.id FROM regression r JOIN regression o ON o.project_id = r.project_id "
        "AND o.suspects = r.suspects AND o.suspects <> '[]' AND o.id <> r.id "
        "AND o.culprit IS NULL AND o.state IN ('range', 'reported', 'acknowledged') "
        "WHERE r.id = ?1 AND r.culprit IS NULL AND r.suspects <> '[]' "
        "AND r.state NOT IN ('recovered', 'closed') "
        "AND EXISTS (SELECT 1 FROM regression_series x WHERE x.regression_id = r.id "
        "AND x.verified <> '{}') AND EXISTS (SELECT 1 FROM regression_series x "
        "WHERE x.regression_id = o.id AND x.verified <> '{}') ORDER BY o.id LIMIT 1",
        regression);
}

// What is still searched may yet name another; what a person has ended stays as it is.
std::optional<RegressionId> find_same_culprit(Database& db, RegressionId regression) {
    return db.find<RegressionId>(
        "SELECT o.id FROM regression r JOIN regression o ON o.project_id = r.project_id "
        "AND o.culprit = r.culprit AND o.id <> r.id "
        "AND o.state IN ('attributed', 'reported', 'acknowledged') "
        "WHERE r.id = ?1 AND r.state NOT IN ('recovered', 'closed') ORDER BY o.id LIMIT 1",
        regression);
}

// A series is in a regression once. One that is there already is worse by it still, or again.
int move_series(Database& db, RegressionId from, RegressionId to) {
    db.execute(
        "UPDATE regression_series SET recovered_nightly_id = NULL WHERE regression_id = ?2 "
        "AND series_id IN (SELECT series_id FROM regression_series WHERE regression_id = ?1)",
        from,
        to);
    const auto moved = db.execute(
        "UPDATE OR IGNORE regression_series SET regression_id = ?2 WHERE regression_id = ?1",
        from,
        to);
    db.execute("DELETE FROM regression_series WHERE regression_id = ?1", from);
    return static_cast<int>(moved);
}

}  // namespace

bool join_same_cause(Database& db, RegressionId regression, std::int64_t now_s) {
    auto other = find_same_culprit(db, regression);
    const bool is_named = other.has_value();
    if (!is_named) other = find_same_range(db, regression);
    if (!other) return false;
    const std::string same = is_named ? "the same culprit" : "the same commits left";
    const auto joined = move_series(db, regression, *other);
    db.execute("UPDATE regression SET changed_at_s = ?2 WHERE id = ?1", *other, now_s);
    record_event(
        db,
        now_s,
        "regression.joined",
        db.find<ProjectId>("SELECT project_id FROM regression WHERE id = ?1", *other),
        "regression/" + to_string(*other),
        std::to_string(joined) + " series of regression " + to_string(regression) + " have " +
            same + ", verified");
    move_regression(
        db,
        regression,
        RegressionState::closed,
        same + " as regression " + to_string(*other) + ", which has its series now",
        now_s);
    return true;
}

}  // namespace vigil::service
