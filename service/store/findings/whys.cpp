#include "service/store/findings/whys.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "schema/model/transitions.hpp"
#include "schema/profile/profile_json.hpp"
#include "schema/wire/json.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/json_columns.hpp"

namespace vigil::service {

std::string TextColumn<profile::Why>::text(const profile::Why& why) {
    return wire::write_json(profile::why_json(why));
}

profile::Why TextColumn<profile::Why>::parse(std::string_view text) {
    return profile::parse_why(wire::parse_json(text, "why.found"));
}

namespace {

const std::string select_whys =
    "SELECT regression_id, state, culprit, by_hand, job_id, series_id, found, message, "
    "flame <> '', interruptions FROM why ";

}  // namespace

std::optional<RegressionWhy> find_why(Database& db, RegressionId regression) {
    return db.first<RegressionWhy>(select_whys + "WHERE regression_id = ?1", regression);
}

std::vector<RegressionWhy> list_open_whys(Database& db, int limit) {
    return db.all<RegressionWhy>(
        select_whys +
            "WHERE regression_id IN (SELECT regression_id FROM (SELECT y.regression_id, "
            "row_number() OVER (PARTITION BY g.project_id ORDER BY y.state = 'waiting', "
            "y.by_hand = 0 AND y.interruptions = 0, y.regression_id) AS turn "
            "FROM why y INDEXED BY why_open JOIN regression g ON g.id = y.regression_id "
            "LEFT JOIN job j ON j.id = y.job_id WHERE y.state <> 'done' AND y.state <> 'listing' "
            "AND j.state IS NOT 'queued') WHERE turn <= ?1) "
            "ORDER BY regression_id",
        limit);
}

bool ask_why(
    Database& db,
    RegressionId regression,
    const Revision& culprit,
    bool by_hand,
    std::int64_t now_s) {
    if (const auto known = find_why(db, regression)) {
        if (known->state != WhyState::done) {
            if (!by_hand) return false;
            throw Error(
                Errc::conflict,
                "why regression " + to_string(regression) + " is slower is asked already: it is " +
                    std::string(to_string(known->state)));
        }
        if (!by_hand && known->culprit == culprit) return false;
        remove_why(db, regression);
    }
    db.execute(
        "INSERT INTO why(regression_id, state, culprit, by_hand, created_at_s) "
        "VALUES (?1, 'listing', ?2, ?3, ?4)",
        regression,
        culprit,
        by_hand,
        now_s);
    return true;
}

void remove_why(Database& db, RegressionId regression) {
    db.execute("DELETE FROM why WHERE regression_id = ?1", regression);
}

std::vector<MissingTouched> list_missing_touched(Database& db, int limit, ProjectId project) {
    return db.all<MissingTouched>(
        "SELECT y.regression_id, y.culprit FROM why y INDEXED BY why_open "
        "JOIN regression g ON g.id = y.regression_id AND g.project_id = ?2 "
        "WHERE y.state = 'listing' AND y.state <> 'done' ORDER BY y.regression_id LIMIT ?1",
        limit,
        project);
}

void note_touched(Database& db, RegressionId regression, const std::set<std::string>& files) {
    db.execute(
        "UPDATE why SET state = 'waiting', touched = ?2 WHERE regression_id = ?1 "
        "AND state = 'listing'",
        regression,
        std::vector<std::string>(files.begin(), files.end()));
}

std::set<std::string> load_touched(Database& db, RegressionId regression) {
    const auto files = db.find<std::vector<std::string>>(
        "SELECT touched FROM why WHERE regression_id = ?1", regression);
    return files ? std::set<std::string>(files->begin(), files->end()) : std::set<std::string>{};
}

void begin_why(
    Database& db, RegressionId regression, SeriesId series, JobId job, std::int64_t now_s) {
    check_move("why", regression, find_why(db, regression).value().state, WhyState::profiling);
    db.execute(
        "UPDATE why SET state = 'profiling', series_id = ?2, job_id = ?3, begun_at_s = ?4 "
        "WHERE regression_id = ?1",
        regression,
        series,
        job,
        now_s);
}

void interrupt_why(Database& db, RegressionId regression) {
    check_move("why", regression, find_why(db, regression).value().state, WhyState::waiting);
    db.execute(
        "UPDATE why SET state = 'waiting', job_id = NULL, interruptions = interruptions + 1 "
        "WHERE regression_id = ?1",
        regression);
}

void end_why(Database& db, RegressionId regression, const WhyAnswer& answer, std::int64_t now_s) {
    check_move("why", regression, find_why(db, regression).value().state, WhyState::done);
    db.execute(
        "UPDATE why SET state = 'done', found = ?2, message = ?3, ended_at_s = ?4, flame = ?5 "
        "WHERE regression_id = ?1",
        regression,
        answer.found,
        answer.why_none,
        now_s,
        answer.flame);
    const auto& words = answer.found ? answer.found->words : answer.why_none;
    record_regression_event(db, regression, "why", words, now_s);
}

std::optional<std::string> find_flame(Database& db, RegressionId regression) {
    return db.find<std::string>(
        "SELECT flame FROM why WHERE regression_id = ?1 AND flame <> ''", regression);
}

int count_whys_since(Database& db, ProjectId project, std::int64_t since_s) {
    return db
        .find<int>(
            "SELECT count(*) FROM why y INDEXED BY why_begun "
            "JOIN regression g ON g.id = y.regression_id AND g.project_id = ?1 "
            "WHERE y.begun_at_s >= ?2 AND y.by_hand = 0",
            project,
            since_s)
        .value();
}

}  // namespace vigil::service
