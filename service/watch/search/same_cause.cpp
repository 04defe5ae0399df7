#include "service/watch/search/same_cause.hpp"

#include <algorithm>
#include <string>

#include "service/store/findings/regressions.hpp"

namespace vigil::service {

namespace {

using S = RegressionState;

// What is still searched may yet name another; what a person has ended stays as it is.
bool is_told_or_due(S state, S with_answer) {
    return state == with_answer || state == S::reported || state == S::acknowledged;
}

std::optional<RegressionId> find_same_culprit(Database& db, const RegressionRow& regression) {
    if (!regression.culprit) return std::nullopt;
    for (const auto& other : list_with_culprit(db, regression.project, *regression.culprit)) {
        if (other.id != regression.id && is_told_or_due(other.state, S::attributed))
            return other.id;
    }
    return std::nullopt;
}

// Two searches, from different old builds, may end at the same few commits that cannot be told
// apart.
std::optional<RegressionId> find_same_range(Database& db, const RegressionRow& regression) {
    if (regression.culprit || regression.left.empty()) return std::nullopt;
    if (!has_verified(db, regression.id)) return std::nullopt;
    for (const auto& other : list_left_with(db, regression.project, regression.left)) {
        if (other.id == regression.id || other.culprit) continue;
        if (is_told_or_due(other.state, S::range) && has_verified(db, other.id)) return other.id;
    }
    return std::nullopt;
}

}  // namespace

bool join_same_cause(Database& db, const RegressionRow& regression, std::int64_t now_s) {
    if (regression.has_ended()) return false;
    const auto other =
        regression.culprit ? find_same_culprit(db, regression) : find_same_range(db, regression);
    if (!other) return false;
    const std::string same = regression.culprit ? "the same culprit" : "the same commits left";
    const auto joined = join_series(db, regression.id, *other);
    touch_regression(db, *other, now_s);
    const auto words = std::to_string(joined) + " series of regression " +
                       to_string(regression.id) + " have " + same + ", verified";
    record_regression_event(db, *other, "joined", words, now_s);
    close_regression(
        db,
        regression.id,
        RegressionEnd::joined,
        same + " as regression " + to_string(*other) + ", which has its series now",
        now_s);
    return true;
}

}  // namespace vigil::service
