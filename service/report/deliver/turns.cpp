#include "service/report/deliver/turns.hpp"

#include "schema/model/error.hpp"
#include "service/report/deliver/tracker_answer.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t look_again_s = 60;  // whether the issue is filed

/// A comment goes below an issue that is filed, a day after the one before it.
Turn turn_of_comment(
    Database& db, const ReportTarget& target, RegressionId regression, const Moment& now) {
    const auto place = find_issue_place(db, target.name, regression);
    if (!place || (place->external_ref.empty() && place->state == OutboxState::dead)) {
        throw Error(
            Errc::conflict,
            "commenting on regression " + to_string(regression) + ": its report was not filed");
    }
    Turn turn;
    if (place->external_ref.empty()) {
        turn.wait_until_s = now.steady_s + look_again_s;
        return turn;
    }
    const auto number = issue_number(place->external_ref);
    if (!number) {
        throw Error(
            Errc::conflict,
            "commenting on regression " + to_string(regression) + ": " + place->external_ref +
                " is no issue");
    }
    turn.comment_below = *number;
    const auto last_s = find_last_comment_s(db, target.name, regression);
    if (last_s && now.steady_s < *last_s + comment_spacing_s) {
        turn.wait_until_s = *last_s + comment_spacing_s;
    }
    return turn;
}

}  // namespace

Turn turn_of(Database& db, const ReportTarget& target, const DueRow& due, const Moment& now) {
    if (due.subject.comment_on) return turn_of_comment(db, target, *due.subject.comment_on, now);
    return {};
}

}  // namespace vigil::service
