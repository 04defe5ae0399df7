#include <nlohmann/json.hpp>

#include "service/store/lists/lists.hpp"

namespace vigil::service::lists {

const List builds{
    "build",
    "SELECT build.id, project.name AS project, build.revision, build.input_kind,"
    " build.input_digest, build.input_error, build.created_at_s"
    " FROM build JOIN project ON project.id = build.project_id"
    " WHERE build.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:revision IS NULL OR build.revision = :revision)"
    " AND (:since_s IS NULL OR build.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR build.created_at_s < :until_s)"
    " ORDER BY build.id DESC LIMIT :limit",
    {{"products",
      "SELECT id, recipe_digest, toolchain, state, failures, digest, log_digest AS log, message,"
      " duration_ns, created_at_s FROM product WHERE build_id = ?1 ORDER BY id DESC LIMIT 500"}}};

const List runs{
    "run",
    "SELECT run.id, project.name AS project, run.job_id AS job, run.attempt, run.step,"
    " run.build_id AS build, build.revision, run.benchmark,"
    " nullif(run.case_name, '') AS 'case', run.variant,"
    " machine_class.name AS machine_class, worker.name AS worker,"
    " run.environment_id AS environment, run.outcome, run.message, run.log_digest AS log,"
    " run.started_at_ns, run.duration_ns, job.purpose"
    " FROM run JOIN job ON job.id = run.job_id JOIN project ON project.id = job.project_id"
    " JOIN build ON build.id = run.build_id"
    " JOIN machine_class ON machine_class.id = run.machine_class_id"
    " JOIN worker ON worker.id = run.worker_id"
    " WHERE run.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:job IS NULL OR run.job_id = :job) AND (:build IS NULL OR run.build_id = :build)"
    " AND (:revision IS NULL OR build.revision = :revision)"
    " AND (:benchmark IS NULL OR run.benchmark = :benchmark)"
    " AND (:case IS NULL OR run.case_name = :case)"
    " AND (:variant IS NULL OR run.variant = :variant)"
    " AND (:machine_class IS NULL OR machine_class.name = :machine_class)"
    " AND (:outcome IS NULL OR run.outcome = :outcome)"
    " AND (:nightly IS NULL OR job.nightly_id = :nightly)"
    " AND (:since_s IS NULL OR run.started_at_ns >= :since_s * 1000000000)"
    " AND (:until_s IS NULL OR run.started_at_ns < :until_s * 1000000000)"
    " ORDER BY run.id DESC LIMIT :limit",
    {{"measurements",
      "SELECT series.id AS series, nullif(series.case_name, '') AS 'case', series.metric,"
      " nullif(series.quantity, '') AS quantity, series.unit,"
      " iif(series.judging = 'no_direction', NULL, series.direction) AS direction,"
      " measurement.median, measurement.spread, measurement.count, measurement.samples"
      " FROM measurement JOIN series ON series.id = measurement.series_id WHERE run_id = ?1"
      " ORDER BY series.id"},
     // What it measured and no series can be judged by.
     {"unjudged",
      "SELECT series.id AS series, nullif(series.case_name, '') AS 'case', series.metric,"
      " nullif(series.quantity, '') AS quantity, unjudged_measurement.reason,"
      " unjudged_measurement.count, unjudged_measurement.samples FROM unjudged_measurement"
      " JOIN series ON series.id = unjudged_measurement.series_id WHERE run_id = ?1"
      " ORDER BY series.id"},
     // Cases that ended with an error while others were measured.
     {"case_failures",
      "SELECT case_name AS 'case', message FROM case_failure WHERE run_id = ?1 ORDER BY case_name"},
     // What it said of itself beside its samples.
     {"said",
      "SELECT name, value, low, high, unit, text FROM run_fact WHERE run_id = ?1 ORDER BY name"},
     {"",
      "SELECT (SELECT facts FROM environment WHERE id = run.environment_id) AS 'facts:json'"
      " FROM run WHERE id = ?1"}},
    {},
    {},
    {{"outcome", "passed", "run.outcome <> 'passed'"}}};

const List series{
    "series",
    "SELECT series.id, project.name AS project, series.benchmark,"
    " nullif(series.case_name, '') AS 'case', series.variant,"
    " machine_class.name AS machine_class, series.metric,"
    " nullif(series.quantity, '') AS quantity, series.definition, series.unit,"
    " iif(series.judging = 'no_direction', NULL, series.direction) AS direction"
    " FROM series JOIN project ON project.id = series.project_id"
    " JOIN machine_class ON machine_class.id = series.machine_class_id"
    " WHERE series.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:benchmark IS NULL OR series.benchmark = :benchmark)"
    " AND (:case IS NULL OR series.case_name = :case)"
    " AND (:variant IS NULL OR series.variant = :variant)"
    " AND (:machine_class IS NULL OR machine_class.name = :machine_class)"
    " AND (:metric IS NULL OR series.metric = :metric) ORDER BY series.id DESC LIMIT :limit",
    {{"baselines",
      "SELECT id, kind, nightly_id AS nightly, reason, created_at_s, withdrawn AS 'withdrawn:bool'"
      " FROM baseline WHERE series_id = ?1 ORDER BY id DESC LIMIT 500"}}};

const List series_nights{
    "night of a series",
    // Of a night's own build; what was measured of it again counts with it, whenever that was.
    "SELECT night.id, night.name AS night, night.day, night.version, night.revision, night.state,"
    " night.created_at_s, night.rolled_up_at_s, coalesce(:purpose, 'nightly') AS purpose,"
    " (SELECT json_group_array(json_object('run', one.run, 'worker', worker.name,"
    "   'value', one.median, 'spread', one.spread, 'count', one.count,"
    "   'started_at_ns', one.started_at_ns, 'left_out', json(iif(EXISTS (SELECT 1 FROM left_out"
    "    WHERE left_out.nightly_id = night.id AND left_out.worker_id IN (0, one.worker_id)),"
    "    'true', 'false'))))"
    "  FROM (SELECT run.id AS run, run.worker_id, measurement.median, measurement.spread,"
    "   measurement.count, run.started_at_ns"
    "  FROM series CROSS JOIN run ON run.build_id = night.build_id"
    "   AND run.benchmark = series.benchmark AND run.variant = series.variant"
    "   AND run.machine_class_id = series.machine_class_id AND run.outcome = 'passed'"
    "  CROSS JOIN job ON job.id = run.job_id AND job.attempt = run.attempt"
    "   AND job.purpose = coalesce(:purpose, 'nightly')"
    "   AND (job.purpose <> 'nightly' OR job.nightly_id = night.id)"
    "  CROSS JOIN judged_measurement AS measurement ON measurement.run_id = run.id"
    "   AND measurement.series_id = series.id WHERE series.id = :id"
    // Of a run that is rolled up its values are left.
    "  UNION ALL SELECT value.run_id, value.worker_id, value.median, value.spread, value.count,"
    "   NULL FROM night_run AS value WHERE night.rolled_up_at_s IS NOT NULL"
    "   AND coalesce(:purpose, 'nightly') = 'nightly' AND value.series_id = :id"
    "   AND value.nightly_id = night.id AND NOT EXISTS (SELECT 1 FROM measurement"
    "    WHERE run_id = value.run_id AND series_id = :id)) AS one"
    "  CROSS JOIN worker ON worker.id = one.worker_id) AS 'runs:json'"
    " FROM night WHERE night.id <= :newest"
    " AND night.project_id = (SELECT project_id FROM series WHERE id = :id)"
    " AND (:since_s IS NULL OR night.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR night.created_at_s < :until_s)"
    " ORDER BY night.id DESC LIMIT :limit"};

const List exported_series{
    "series",
    "SELECT s.id, p.name || '/' || s.shown || '/' || s.variant || '/' || m.name || '/' ||"
    " s.metric || CASE WHEN s.definition = (SELECT MAX(n.definition) FROM series n"
    " WHERE n.project_id = s.project_id AND n.benchmark = s.benchmark"
    " AND n.variant = s.variant AND n.machine_class_id = s.machine_class_id"
    " AND n.metric = s.metric AND n.case_name = s.case_name AND n.quantity = s.quantity) THEN '' "
    "ELSE '@' || s.definition END AS series,"
    " s.unit, iif(s.judging = 'no_direction', NULL, s.direction) AS direction, s.definition"
    " FROM series s JOIN project p ON p.id = s.project_id"
    " JOIN machine_class m ON m.id = s.machine_class_id WHERE s.id > ifnull(:after, 0)"
    " AND (:project IS NULL OR p.name = :project)"
    " AND (:benchmark IS NULL OR s.benchmark = :benchmark)"
    " AND (:case IS NULL OR s.case_name = :case)"
    " AND (:variant IS NULL OR s.variant = :variant)"
    " AND (:machine_class IS NULL OR m.name = :machine_class)"
    " AND (:metric IS NULL OR s.metric = :metric) ORDER BY s.id LIMIT :limit"};

nlohmann::json load_points(Database& db, std::int64_t id, int limit) {
    auto points = all_rows(db.query(
        "SELECT run.id AS run, run.build_id AS build, build.revision, job.purpose,"
        " job.nightly_id AS nightly, median, spread, count, run.started_at_ns,"
        " job.purpose = 'nightly' AND EXISTS (SELECT 1 FROM left_out o"
        "  WHERE o.nightly_id = job.nightly_id AND o.worker_id IN (0, run.worker_id))"
        "  AS 'left_out:bool'"
        " FROM measurement JOIN run ON run.id = measurement.run_id"
        " JOIN build ON build.id = run.build_id JOIN job ON job.id = run.job_id"
        " WHERE series_id = ?1 ORDER BY run_id DESC LIMIT ?2",
        id,
        limit));
    // Those that are rolled up are older than nearly all others.
    for (auto& point : all_rows(db.query(
             "SELECT value.run_id AS run, nightly.build_id AS build, nightly.revision,"
             " 'nightly' AS purpose, value.nightly_id AS nightly, median, spread, count,"
             " NULL AS started_at_ns, EXISTS (SELECT 1 FROM left_out o"
             "  WHERE o.nightly_id = value.nightly_id AND o.worker_id IN (0, value.worker_id))"
             "  AS 'left_out:bool' FROM night_run AS value"
             " CROSS JOIN nightly ON nightly.id = value.nightly_id"
             "  AND nightly.rolled_up_at_s IS NOT NULL WHERE value.series_id = ?1"
             " AND NOT EXISTS (SELECT 1 FROM measurement WHERE run_id = value.run_id"
             "  AND series_id = ?1) ORDER BY value.nightly_id DESC, run DESC LIMIT ?2",
             id,
             limit - static_cast<int>(points.size())))) {
        points.push_back(std::move(point));
    }
    return points;
}

}  // namespace vigil::service::lists
