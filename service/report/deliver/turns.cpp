#include "service/report/deliver/turns.hpp"

#include <algorithm>

#include "schema/model/error.hpp"
#include "service/config/quiet_hours.hpp"
#include "service/report/deliver/envelope_rows.hpp"
#include "service/report/send/tracker_answer.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t look_again_s = 60;  // whether the issue is filed

/// A comment goes below an issue that is filed, a day after the one before it.
Turn turn_of_comment(
    Database& db, const ReportTarget& target, const ReportSubject& subject, const Moment& now) {
    const RegressionId regression = subject.comment_on.value();
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
    const auto last_s = find_last_comment_s(db, target.name, regression, subject.part);
    if (last_s && now.steady_s < *last_s + comment_spacing_s) {
        turn.wait_until_s = *last_s + comment_spacing_s;
    }
    return turn;
}

}  // namespace

bool is_urgent(const ReportTarget& target, const ToldFact& told) {
    const double enough = target.urgent_change_ratio;
    return enough > 0 && (told.broken || told.change_ratio.value_or(0) >= enough);
}

std::optional<std::int64_t> held_until(
    const ReportTarget& target, const ToldFact& told, std::int64_t stored_s, std::int64_t now_s) {
    if (is_urgent(target, told)) return std::nullopt;
    // Whoever sets the clock back makes nobody wait longer.
    auto until_s = std::max(std::min(stored_s, now_s) + target.collect_s, now_s);
    if (target.quiet_hours) until_s = quiet_until(*target.quiet_hours, until_s).value_or(until_s);
    if (until_s <= now_s) return std::nullopt;
    return until_s;
}

Turn turn_of(Database& db, const ReportTarget& target, const DueRow& due, const Moment& now) {
    if (due.subject.comment_on) return turn_of_comment(db, target, due.subject, now);
    Turn turn;
    turn.wait_until_s = held_until(target, due.told, due.stored_s, now.now_s);
    if (turn.wait_until_s) *turn.wait_until_s -= ahead_s(now);
    return turn;
}

}  // namespace vigil::service
