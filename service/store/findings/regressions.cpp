#include "service/store/findings/regressions.hpp"

#include "schema/model/transitions.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

bool move_regression(
    Database& db,
    RegressionId regression,
    RegressionState to,
    const std::string& reason,
    std::int64_t now_s) {
    auto rows = db.query("SELECT state, project_id FROM regression WHERE id = ?1", regression);
    if (!rows.next())
        throw Error(Errc::not_found, "there is no regression " + to_string(regression));
    const auto from = rows.get<RegressionState>(0);
    if (from == RegressionState::recovered || from == RegressionState::closed) return false;
    if (!may_move(from, to)) {
        throw Error(
            Errc::conflict,
            "regression " + to_string(regression) + " is " + std::string(to_string(from)) +
                "; it cannot become " + std::string(to_string(to)));
    }
    db.execute(
        "UPDATE regression SET state = ?2, reason = ?3, changed_at_s = ?4 WHERE id = ?1",
        regression,
        to,
        reason,
        now_s);
    record_event(
        db,
        now_s,
        "regression." + std::string(to_string(to)),
        rows.get<ProjectId>(1),
        "regression/" + to_string(regression),
        reason);
    return true;
}

bool move_to_reported(Database& db, RegressionId regression, std::int64_t now_s) {
    using S = RegressionState;
    static_assert(may_move(S::attributed, S::reported) && may_move(S::range, S::reported));
    return db.execute(
               "UPDATE regression SET state = 'reported', changed_at_s = ?2 "
               "WHERE id = ?1 AND state IN ('attributed', 'range')",
               regression,
               now_s) > 0;
}

}  // namespace vigil::service
