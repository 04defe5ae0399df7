#include "service/store/series/series.hpp"

#include "service/store/ids.hpp"
#include "service/store/json_columns.hpp"

namespace vigil::service {

namespace {

const std::string select_series = std::string("SELECT ") + series_columns + " FROM series s ";

}  // namespace

SeriesRow load_series(Database& db, SeriesId series) {
    return db.load<SeriesRow>("series", select_series + "WHERE s.id = ?1", series);
}

std::string words_of(Database& db, const SeriesRow& series) {
    return series.shown + " " + series.variant + " on " +
           load_machine_class_name(db, series.machine_class) + ", " +
           std::string(to_string(series.metric));
}

std::optional<SeriesForm> find_series_form(Database& db, const NewSeries& series) {
    return db.first<SeriesForm>(
        "SELECT id, unit, told FROM series WHERE project_id = ?1 AND benchmark = ?2 "
        "AND variant = ?3 AND machine_class_id = ?4 AND metric = ?5 AND definition = ?10 "
        "AND case_name = ?8 AND quantity = ?9",
        series,
        definition_of(series.metric));
}

std::int64_t count_series(Database& db, ProjectId project) {
    return db.find<std::int64_t>("SELECT COUNT(*) FROM series WHERE project_id = ?1", project)
        .value_or(0);
}

bool has_series_beside(
    Database& db,
    const std::vector<SeriesRow>& series,
    MachineClassId machine_class,
    std::optional<ProjectId> project) {
    const auto all = db.find<std::int64_t>(
        "SELECT count(*) FROM series WHERE machine_class_id = ?1 "
        "AND (?2 IS NULL OR project_id = ?2)",
        machine_class,
        project);
    return all.value_or(0) > static_cast<std::int64_t>(series.size());
}

bool has_findings(Database& db, SeriesId series) {
    return db.has(
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM every_suspicion WHERE series_id = ?1) "
        "OR EXISTS (SELECT 1 FROM regression_series WHERE series_id = ?1) "
        "OR EXISTS (SELECT 1 FROM drift WHERE series_id = ?1) "
        "OR EXISTS (SELECT 1 FROM mute WHERE series_id = ?1) "
        "OR EXISTS (SELECT 1 FROM missed WHERE series_id = ?1)",
        series);
}

void remove_series(Database& db, SeriesId series) {
    db.execute("DELETE FROM series_record WHERE series_id = ?1", series);
    db.execute("DELETE FROM stale_record WHERE series_id = ?1", series);
    db.execute("DELETE FROM baseline WHERE series_id = ?1", series);
    db.execute("DELETE FROM series WHERE id = ?1", series);
}

SeriesId ensure_series(Database& db, const NewSeries& series) {
    const auto definition = definition_of(series.metric);
    if (const auto found = find_series_form(db, series)) {
        if (found->told != series.told) mark_reported(db, found->id, series.told);
        return found->id;
    }
    return db.insert<SeriesId>(
        "INSERT INTO series(project_id, benchmark, variant, machine_class_id, metric, unit, told, "
        "case_name, quantity, definition, direction, judging) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ifnull(?7, 'lower_is_better'), iif(?7 IS "
        "NULL, 'no_direction', 'as_metric'))",
        series,
        definition);
}

void mark_reported(Database& db, SeriesId series, std::optional<Direction> told) {
    db.execute("UPDATE series SET told = ?2 WHERE id = ?1", series, told);
}

void note_settled(Database& db, SeriesId series, const Settled& settled) {
    db.execute(
        "UPDATE series SET direction = ifnull(?2, direction), judging = ?3 WHERE id = ?1",
        series,
        settled);
}

void note_threshold(Database& db, SeriesId series, std::optional<double> threshold) {
    db.execute("UPDATE series SET threshold = ?2 WHERE id = ?1", series, threshold);
}

UnknownDirections list_unknown_directions(Database& db, ProjectId project, int limit) {
    UnknownDirections unknown;
    unknown.count = db.find<std::int64_t>(
                          "SELECT count(*) FROM series WHERE project_id = ?1 "
                          "AND judging = 'no_direction'",
                          project)
                        .value_or(0);
    unknown.first = db.all<SeriesRow>(
        select_series +
            "WHERE s.project_id = ?1 AND s.judging = 'no_direction' "
            "ORDER BY s.id LIMIT ?2",
        project,
        limit);
    return unknown;
}

std::vector<SeriesId> list_series(Database& db, ProjectId project, const ClassVariant& variant) {
    return db.all<SeriesId>(
        "SELECT id FROM series WHERE project_id = ?1 AND benchmark = ?2 AND variant = ?3 "
        "AND machine_class_id = ?4",
        project,
        variant);
}

std::optional<LastMeasured> find_last_measured(
    Database& db, ProjectId project, const ClassVariant& variant, const std::string& begins) {
    return db.first<LastMeasured>(
        "SELECT l.benchmark, r.job_id FROM (SELECT s.benchmark AS benchmark, "
        "(SELECT MAX(m.run_id) FROM measurement m WHERE m.series_id = s.id) AS newest "
        "FROM series s WHERE s.project_id = ?1 AND s.benchmark >= ?5 AND s.benchmark <= ?6 "
        "AND s.variant = ?3 AND s.machine_class_id = ?4) l CROSS JOIN run r ON r.id = l.newest "
        "ORDER BY r.id DESC LIMIT 1",
        project,
        variant,
        begins.empty() ? variant.benchmark : begins,
        begins.empty() ? variant.benchmark : begins + "\U0010FFFF");
}

std::optional<SeriesId> find_series(
    Database& db,
    ProjectId project,
    const ClassVariant& variant,
    const std::string& case_name,
    Metric metric) {
    return db.find<SeriesId>(
        "SELECT id FROM series WHERE project_id = ?1 AND benchmark = ?2 AND variant = ?3 "
        "AND machine_class_id = ?4 AND metric = ?6 AND case_name = ?5 AND quantity = '' "
        "ORDER BY definition DESC LIMIT 1",
        project,
        variant,
        case_name,
        metric);
}

std::vector<std::string> list_cases(Database& db, NightlyId nightly, const ClassVariant& variant) {
    return db.all<std::string>(
        "SELECT DISTINCT s.case_name FROM nightly n CROSS JOIN series s "
        "ON s.project_id = n.project_id AND s.benchmark = ?2 AND s.variant = ?3 "
        "AND s.machine_class_id = ?4 AND s.case_name <> '' CROSS JOIN night_value v "
        "ON v.series_id = s.id AND v.nightly_id = n.id WHERE n.id = ?1 ORDER BY s.case_name",
        nightly,
        variant);
}

std::vector<SeriesRow> list_new_series(Database& db, NightlyId nightly) {
    return db.all<SeriesRow>(
        "WITH tonight AS (SELECT DISTINCT m.series_id FROM job j JOIN run r ON r.job_id = j.id "
        "AND r.attempt = j.attempt JOIN measurement m ON m.run_id = r.id "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly') " +
            select_series +
            "WHERE s.id IN tonight AND NOT EXISTS (SELECT 1 "
            "FROM measurement m JOIN run o ON o.id = m.run_id JOIN job k ON k.id = o.job_id "
            "LEFT JOIN nightly b ON b.id = k.nightly_id WHERE m.series_id = s.id "
            "AND k.nightly_id IS NOT NULL AND b.beside IS NULL "
            "AND m.run_id < (SELECT MIN(r.id) FROM job j JOIN run r ON r.job_id = j.id "
            "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly')) AND NOT EXISTS (SELECT 1 "
            "FROM night_value v JOIN night o ON o.id = v.nightly_id WHERE v.series_id = s.id "
            "AND v.nightly_id < ?1 AND v.run_id < (SELECT MIN(r.id) FROM job j JOIN run r "
            "ON r.job_id = j.id WHERE j.nightly_id = ?1 AND j.purpose = 'nightly')) "
            "ORDER BY s.id",
        nightly);
}

std::vector<SeriesRow> list_gone_series(Database& db, NightlyId measured, NightlyId not_measured) {
    return db.all<SeriesRow>(
        "WITH tonight AS (SELECT DISTINCT m.series_id FROM job j JOIN run r ON r.job_id = j.id "
        "AND r.attempt = j.attempt JOIN measurement m ON m.run_id = r.id "
        "WHERE j.nightly_id = ?2 AND j.purpose = 'nightly'), before AS (SELECT DISTINCT "
        "m.series_id FROM job j JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
        "JOIN measurement m ON m.run_id = r.id WHERE j.nightly_id = ?1 "
        "AND j.purpose = 'nightly') " +
            select_series + "WHERE s.id IN before AND s.id NOT IN tonight ORDER BY s.id",
        measured,
        not_measured);
}

std::vector<BenchmarkPlan> list_newest_plan(
    Database& db, ProjectId project, const std::string& benchmark, const std::string& variant) {
    return db
        .find<JobPlan>(
            "SELECT j.plan FROM (SELECT (SELECT MAX(m.run_id) FROM measurement m "
            "WHERE m.series_id = s.id) AS newest FROM series s WHERE s.project_id = ?1 "
            "AND s.benchmark = ?2 AND s.variant = ?3) CROSS JOIN run r ON r.id = newest "
            "CROSS JOIN job j ON j.id = r.job_id ORDER BY r.id DESC LIMIT 1",
            project,
            benchmark,
            variant)
        .value_or(JobPlan{})
        .benchmarks;
}

}  // namespace vigil::service
