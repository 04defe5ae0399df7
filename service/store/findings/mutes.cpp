#include "service/store/findings/mutes.hpp"

#include <vector>

#include "schema/model/error.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

namespace {

struct StandingMute {
    MuteId id;
    ProjectId project;
    std::string subject;  ///< as events name it: "regression/7"
    std::string owner;
    std::string reason;
    std::optional<std::int64_t> ended_s;
};

const std::string select_mutes =
    "SELECT m.id, m.project_id, CASE WHEN m.regression_id IS NULL THEN 'series/' || m.series_id "
    "ELSE 'regression/' || m.regression_id END, m.owner, m.reason, m.ended_s FROM mute m ";

void end_standing(
    Database& db, const StandingMute& mute, const std::string& why, std::int64_t now_s) {
    db.execute(
        "UPDATE mute SET ended_s = ?2, ended_why = ?3 WHERE id = ?1 AND ended_s IS NULL",
        mute.id,
        now_s,
        why);
    const auto words = mute.subject + " is no longer muted: " + why + " (mute " +
                       to_string(mute.id) + " of " + mute.owner + ": " + mute.reason + ")";
    record_event(db, now_s, "mute.ended", mute.project, mute.subject, words);
}

}  // namespace

MuteId add_mute(Database& db, const NewMute& mute, std::int64_t now_s) {
    const auto before = db.first<StandingMute>(
        select_mutes + "WHERE m.ended_s IS NULL AND m.regression_id = ?1 UNION ALL " +
            select_mutes + "WHERE m.ended_s IS NULL AND m.series_id = ?2",
        mute.regression,
        mute.series);
    if (before) end_standing(db, *before, "muted anew by " + mute.token, now_s);
    const auto id = db.insert<MuteId>(
        "INSERT INTO mute(project_id, regression_id, series_id, owner, reason, token, until_s, "
        "since_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        mute,
        now_s);
    const auto made = db.load<StandingMute>("mute", select_mutes + "WHERE m.id = ?1", id);
    const auto words = mute.token + " muted " + made.subject + ": " + mute.reason;
    record_event(db, now_s, "mute.begun", mute.project, made.subject, words);
    return id;
}

void end_mute(Database& db, MuteId mute, const std::string& why, std::int64_t now_s) {
    const auto standing = db.load<StandingMute>("mute", select_mutes + "WHERE m.id = ?1", mute);
    if (standing.ended_s) {
        throw Error(Errc::conflict, "mute " + to_string(mute) + " has ended already");
    }
    end_standing(db, standing, why, now_s);
}

void end_due_mutes(Database& db, std::int64_t now_s) {
    constexpr int most = 100;  // the next call goes on
    const auto due = db.all<StandingMute>(
        select_mutes + "WHERE m.ended_s IS NULL AND m.until_s <= ?1 ORDER BY m.until_s LIMIT ?2",
        now_s,
        most);
    for (const auto& mute : due) end_standing(db, mute, "its time is over", now_s);
}

}  // namespace vigil::service
