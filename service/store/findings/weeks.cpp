#include "service/store/findings/weeks.hpp"

namespace vigil::service {

std::vector<WeeksRegression> list_weeks_regressions(
    Database& db, ProjectId project, std::int64_t since_s, std::int64_t until_s) {
    return db.all<WeeksRegression>(
        "SELECT g.id, g.state, g.ended_as, coalesce((SELECT r.title FROM report r "
        "WHERE r.regression_id = g.id "
        "ORDER BY r.version DESC LIMIT 1), 'no report yet'), g.created_at_s, g.changed_at_s, "
        "coalesce((SELECT o.external_ref FROM outbox o JOIN report r ON r.id = o.report_id "
        "WHERE r.regression_id = g.id AND o.external_ref LIKE 'http%' "
        "ORDER BY r.version DESC, o.id LIMIT 1), ''), coalesce((SELECT s.author FROM suspect s "
        "WHERE s.bisection_id = g.bisection_id AND s.revision = g.culprit AND s.position > 0), "
        "''), (SELECT m.told FROM mending m WHERE m.regression_id = g.id AND m.state = 'told' "
        "ORDER BY m.nightly_id DESC LIMIT 1) FROM regression g "
        "WHERE g.created_at_s < ?3 AND g.id IN (SELECT id FROM regression WHERE project_id = ?1 "
        "AND state IN {open_regressions} "
        "UNION SELECT id FROM regression WHERE created_at_s >= ?2 - 90 * 86400 "
        "AND project_id = ?1 AND (created_at_s >= ?2 OR changed_at_s >= ?2)) AND EXISTS "
        "(SELECT 1 FROM regression_series s WHERE s.regression_id = g.id) ORDER BY g.id",
        project,
        since_s,
        until_s);
}

std::vector<WeeksImprovement> list_weeks_improvements(
    Database& db, ProjectId project, std::int64_t since_s, std::int64_t until_s, int limit) {
    return db.all<WeeksImprovement>(
        "SELECT s.id, s.shown, s.variant, c.name, s.metric, u.verdict, u.confirmed, n.id, "
        "n.name, b.id, b.name, i.culprit, ifnull(i.subject, '') FROM suspicion u "
        "JOIN series s ON s.id = u.series_id LEFT JOIN improvement i ON i.suspicion_id = u.id "
        "JOIN machine_class c ON c.id = s.machine_class_id "
        "JOIN nightly n ON n.id = u.nightly_id JOIN nightly b ON b.id = u.good_nightly_id "
        "WHERE u.created_at_s >= ?2 AND u.created_at_s < ?3 AND s.project_id = ?1 "
        "AND u.verdict IN {better_verdicts} ORDER BY u.created_at_s, u.id LIMIT ?4",
        project,
        since_s,
        until_s,
        limit);
}

CommitsBetween load_commits_between(
    Database& db, ProjectId project, NightlyId before, NightlyId night, int most_authors) {
    CommitsBetween between;
    between.count = *db.find<std::int64_t>(
        "SELECT ifnull(sum(r.count), 0) FROM night n JOIN night_range r ON r.nightly_id = n.id "
        "WHERE n.project_id = ?1 AND n.id > ?2 AND n.id <= ?3",
        project,
        before,
        night);
    between.authors = db.all<std::string>(
        "SELECT c.author FROM night n JOIN night_commit c ON c.nightly_id = n.id "
        "WHERE n.project_id = ?1 AND n.id > ?2 AND n.id <= ?3 GROUP BY c.author "
        "ORDER BY count(*) DESC, c.author LIMIT ?4",
        project,
        before,
        night,
        most_authors);
    if (between.count != 1) return between;
    between.subject = db.find<std::string>(
                            "SELECT c.subject FROM night n JOIN night_commit c "
                            "ON c.nightly_id = n.id WHERE n.project_id = ?1 AND n.id > ?2 "
                            "AND n.id <= ?3 LIMIT 1",
                            project,
                            before,
                            night)
                          .value_or("");
    return between;
}

std::vector<EndingMute> list_ending_mutes(
    Database& db, ProjectId project, std::int64_t before_s, int limit) {
    return db.all<EndingMute>(
        "SELECT iif(regression_id IS NULL, 'series/' || series_id, 'regression/' || "
        "regression_id), owner, until_s FROM mute WHERE ended_s IS NULL AND until_s < ?2 "
        "AND project_id = ?1 ORDER BY until_s, id LIMIT ?3",
        project,
        before_s,
        limit);
}

std::map<Purpose, std::int64_t> load_machine_time(
    Database& db, ProjectId project, std::int64_t since_s, std::int64_t until_s) {
    std::map<Purpose, std::int64_t> seconds;
    struct Row {
        Purpose purpose = Purpose::nightly;
        std::int64_t seconds = 0;
    };
    for (const auto& row : db.all<Row>(
             "SELECT j.purpose, sum(a.ended_at_s - a.claimed_at_s) FROM job j "
             "CROSS JOIN attempt a ON a.job_id = j.id WHERE j.created_at_s >= ?2 "
             "AND j.created_at_s < ?3 AND j.project_id = ?1 AND a.ended_at_s IS NOT NULL "
             "GROUP BY 1",
             project,
             since_s,
             until_s)) {
        seconds[row.purpose] = row.seconds;
    }
    return seconds;
}

}  // namespace vigil::service
