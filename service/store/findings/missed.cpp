#include "service/store/findings/missed.hpp"

#include "schema/model/transitions.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

namespace {

void tell(
    Database& db,
    const MissedRow& missed,
    MissedState state,
    const std::string& message,
    std::int64_t now_s) {
    const auto kind = "missed." + std::string(to_string(state));
    record_event(db, now_s, kind, missed.project, "missed/" + to_string(missed.id), message);
}

}  // namespace

MissedId add_missed(Database& db, const NewMissed& missed, std::int64_t now_s) {
    const auto before = db.find<MissedId>(
        "SELECT id FROM missed WHERE series_id = ?1 AND nightly_id = ?2 AND state <> 'taken_back'",
        missed.series,
        missed.nightly);
    if (before) {
        const auto state = std::string(to_string(load_missed(db, *before).state));
        throw Error(
            Errc::conflict,
            "it was told before (missed " + to_string(*before) + ", " + state +
                "); to tell it anew, take that back first");
    }
    const auto id = db.insert<MissedId>(
        "INSERT INTO missed(project_id, series_id, nightly_id, good_nightly_id, believed, reason, "
        "token, request_id, state, created_at_s) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'measuring', ?9)",
        missed,
        now_s);
    const auto words = missed.token + " says that series " + to_string(missed.series) +
                       " is worse since nightly " + to_string(missed.nightly) + ", and " +
                       "was not found" + (missed.reason.empty() ? "" : ": " + missed.reason);
    tell(db, load_missed(db, id), MissedState::measuring, words, now_s);
    return id;
}

MissedRow load_missed(Database& db, MissedId missed) {
    return db.load<MissedRow>(
        "missed regression",
        "SELECT id, project_id, series_id, nightly_id, good_nightly_id, state, believed, reason, "
        "token, request_id FROM missed WHERE id = ?1",
        missed);
}

std::vector<MissedId> list_measured_missed(Database& db, int limit) {
    return db.all<MissedId>(
        "SELECT m.id FROM missed m INDEXED BY missed_measuring "
        "JOIN request r ON r.id = m.request_id AND r.state IN {ended_requests} "
        "WHERE m.state = 'measuring' ORDER BY m.id LIMIT ?1",
        limit);
}

void move_missed(
    Database& db, MissedId missed, MissedState to, std::string_view message, std::int64_t now_s) {
    const auto row = load_missed(db, missed);
    check_move("missed", missed, row.state, to);
    db.execute(
        "UPDATE missed SET state = ?2, message = ?3, ended_at_s = ?4 WHERE id = ?1",
        missed,
        to,
        message,
        now_s);
    tell(db, row, to, std::string(message), now_s);
}

void note_told_suspicion(Database& db, MissedId missed, SuspicionId suspicion) {
    db.execute("UPDATE missed SET suspicion_id = ?2 WHERE id = ?1", missed, suspicion);
}

std::optional<CoveringRegression> find_covering(Database& db, SeriesId series, NightlyId nightly) {
    return db.first<CoveringRegression>(
        "SELECT g.id, g.state FROM regression_series x "
        "CROSS JOIN suspicion u ON u.id = x.suspicion_id AND u.good_nightly_id < ?2 "
        "AND u.nightly_id >= ?2 CROSS JOIN regression g ON g.id = x.regression_id "
        "WHERE x.series_id = ?1 ORDER BY g.id DESC LIMIT 1",
        series,
        nightly);
}

std::vector<ReportedMissed> list_reported_missed(Database& db, RegressionId regression) {
    return db.all<ReportedMissed>(
        "SELECT m.token, n.name, m.reason, nullif(m.believed, '') FROM regression_series x "
        "JOIN missed m ON m.suspicion_id = x.suspicion_id JOIN nightly n ON n.id = m.nightly_id "
        "WHERE x.regression_id = ?1 ORDER BY m.id",
        regression);
}

}  // namespace vigil::service
