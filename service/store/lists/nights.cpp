#include "service/store/lists/lists.hpp"

namespace vigil::service::lists {

const List imports{
    "import",
    "SELECT import.id, project.name AS project, import.nightly_id AS nightly,"
    " nightly.name AS night, nightly.version, nightly.revision,"
    " machine_class.name AS machine_class, import.job_id AS job,"
    " (SELECT count(*) FROM run WHERE run.job_id = import.job_id) AS readings,"
    " import.token AS 'by', import.received_at_s FROM import"
    " JOIN project ON project.id = import.project_id"
    " JOIN nightly ON nightly.id = import.nightly_id JOIN job ON job.id = import.job_id"
    " JOIN machine_class ON machine_class.id = job.machine_class_id"
    " WHERE import.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:nightly IS NULL OR import.nightly_id = :nightly)"
    " AND (:machine_class IS NULL OR machine_class.name = :machine_class)"
    " AND (:since_s IS NULL OR import.received_at_s >= :since_s)"
    " AND (:until_s IS NULL OR import.received_at_s < :until_s)"
    " ORDER BY import.id DESC LIMIT :limit"};

const List nightlies{
    "nightly",
    "SELECT nightly.id, project.name AS project, nightly.build_id AS build, nightly.version,"
    " nightly.day, nightly.revision, nightly.state, nightly.message, nightly.created_at_s,"
    " nightly.ended_at_s, nightly.beside, nightly.name, nightly.backfill_id AS backfill,"
    " nightly.rolled_up_at_s"
    " FROM nightly JOIN project ON project.id = nightly.project_id"
    " WHERE nightly.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:state IS NULL OR nightly.state = :state)"
    " AND (:version IS NULL OR nightly.version = :version)"
    " AND (:revision IS NULL OR nightly.revision = :revision)"
    " AND (:since_s IS NULL OR nightly.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR nightly.created_at_s < :until_s)"
    " AND (:nightly IS NULL OR nightly.id = :nightly) ORDER BY nightly.id DESC LIMIT :limit",
    {{"",
      "SELECT (SELECT json_group_object(state, jobs) FROM (SELECT state, sum(jobs) AS jobs FROM"
      "  (SELECT state, 1 AS jobs FROM job WHERE nightly_id = ?1 UNION ALL SELECT 'done', jobs"
      "  FROM rolled_jobs WHERE nightly_id = ?1) GROUP BY state)) AS 'jobs:json',"
      " (SELECT json_group_object(verdict, times) FROM (SELECT coalesce(verdict, state) AS verdict,"
      "  count(*) AS times FROM every_suspicion WHERE nightly_id = ?1 GROUP BY 1))"
      " AS 'suspicions:json'"},
     {"regressions",
      "SELECT id, state, ended_as, culprit FROM regression WHERE nightly_id = ?1 ORDER BY id LIMIT "
      "500"}}};

const List summaries{
    "nightly",
    "SELECT nightly.id, (SELECT json_group_object(outcome, runs) FROM (SELECT outcome,"
    "  sum(runs) AS runs FROM (SELECT run.outcome, 1 AS runs FROM run JOIN job"
    "  ON job.id = run.job_id WHERE job.nightly_id = nightly.id"
    "  UNION ALL SELECT 'passed', passed FROM rolled_jobs WHERE nightly_id = nightly.id"
    "  UNION ALL SELECT 'unsupported', unsupported FROM rolled_jobs"
    "  WHERE nightly_id = nightly.id) WHERE runs > 0 GROUP BY outcome)) AS 'runs:json',"
    " (SELECT json_object('id', id, 'version', version, 'title', title, 'body', body,"
    "  'created_at_s', created_at_s) FROM report WHERE nightly_id = nightly.id"
    "  AND kind = 'night' ORDER BY version DESC LIMIT 1) AS 'report:json'"
    " FROM nightly WHERE nightly.id <= :newest ORDER BY nightly.id DESC LIMIT :limit",
    // Those it confirmed, and those of earlier nights whose end its summary tells.
    {{"improvements",
      "SELECT better.suspicion_id AS suspicion, series.id AS series, series.benchmark,"
      " nullif(series.case_name, '') AS 'case', series.variant,"
      " machine_class.name AS machine_class, series.metric,"
      " nullif(series.quantity, '') AS quantity, better.nightly_id AS nightly,"
      " suspicion.confirmed ->> '$.change_ratio' AS change_ratio, better.others,"
      " better.request_id AS request,"
      " iif(better.ended_at_s IS NULL, 'searching',"
      "  iif(better.culprit IS NULL, 'not_known', 'found')) AS state,"
      " better.culprit, nullif(better.subject, '') AS subject,"
      " better.verified ->> '$.change_ratio' AS culprit_ratio, better.message"
      " FROM improvement AS better JOIN suspicion ON suspicion.id = better.suspicion_id"
      " JOIN series ON series.id = suspicion.series_id"
      " JOIN machine_class ON machine_class.id = series.machine_class_id"
      " WHERE better.nightly_id = ?1 OR better.told_nightly_id = ?1"
      " ORDER BY better.suspicion_id LIMIT 500"}}};

const List retention{
    "night that is rolled up",
    "SELECT rolled.nightly_id AS id, project.name AS project, nightly.name AS night,"
    " nightly.day, nightly.rolled_up_at_s, rolled.ended_at_s,"
    " (SELECT ifnull(sum(jobs), 0) FROM rolled_jobs WHERE nightly_id = rolled.nightly_id) AS jobs,"
    " rolled.kept_jobs, (SELECT ifnull(sum(passed + unsupported), 0) FROM rolled_jobs"
    "  WHERE nightly_id = rolled.nightly_id) AS runs,"
    " (SELECT ifnull(sum(measurements), 0) FROM rolled_jobs"
    "  WHERE nightly_id = rolled.nightly_id) AS measurements,"
    " (SELECT ifnull(sum(samples), 0) FROM rolled_jobs"
    "  WHERE nightly_id = rolled.nightly_id) AS samples, rolled.suspicions"
    " FROM rolled_night AS rolled JOIN nightly ON nightly.id = rolled.nightly_id"
    " JOIN project ON project.id = nightly.project_id WHERE rolled.nightly_id <= :newest"
    " AND (:project IS NULL OR project.name = :project)"
    " AND (:since_s IS NULL OR nightly.rolled_up_at_s >= :since_s)"
    " AND (:until_s IS NULL OR nightly.rolled_up_at_s < :until_s)"
    " ORDER BY rolled.nightly_id DESC LIMIT :limit"};

const List dropped{
    "dropped content",
    "SELECT dropped.id, date(dropped.day * 86400, 'unixepoch') AS day, dropped.kind,"
    " dropped.reason, dropped.files, dropped.bytes FROM dropped_content AS dropped"
    " WHERE dropped.id <= :newest AND (:kind IS NULL OR dropped.kind = :kind)"
    " AND (:since_s IS NULL OR dropped.day * 86400 >= :since_s)"
    " AND (:until_s IS NULL OR dropped.day * 86400 < :until_s)"
    " ORDER BY dropped.id DESC LIMIT :limit"};

const List projects{
    "project",
    "SELECT project.id, project.name, project.created_at_s, iif(nightly.id IS NULL, NULL,"
    "  json_object('id', nightly.id, 'version', nightly.version, 'day', nightly.day,"
    "   'state', nightly.state, 'name', nightly.name)) AS 'newest_nightly:json'"
    " FROM project LEFT JOIN nightly ON nightly.id ="
    "  (SELECT max(id) FROM night WHERE project_id = project.id)"
    " WHERE project.id <= :newest ORDER BY project.id DESC LIMIT :limit"};

const List suspicions{
    "suspicion",
    "SELECT suspicion.id, project.name AS project, series.id AS series, series.benchmark,"
    " nullif(series.case_name, '') AS 'case', series.variant,"
    " machine_class.name AS machine_class, series.metric,"
    " nullif(series.quantity, '') AS quantity, series.unit,"
    " suspicion.nightly_id AS nightly, suspicion.good_nightly_id AS good_nightly,"
    " suspicion.session_id AS session, suspicion.state, suspicion.verdict, suspicion.base,"
    " suspicion.value, suspicion.change_ratio, suspicion.confirmed AS 'confirmed:json',"
    " suspicion.reason, suspicion.created_at_s, suspicion.ended_at_s, suspicion.kind,"
    " suspicion.score, suspicion.creep AS 'creep:bool',"
    " suspicion.since_nightly_id AS since_nightly, suspicion.since_earliest_id AS since_earliest,"
    " suspicion.since_latest_id AS since_latest, suspicion.chance, suspicion.waited,"
    " suspicion.waits, iif(suspicion.kind = 'level', suspicion.asked, NULL) AS asked,"
    // Whose builds are side A in turn, the filed pair's first. What cannot be read is left out.
    " (SELECT json_group_array(json_object('nightly', old.id, 'name', old.name,"
    "   'build', old.build_id, 'revision', old.revision)) FROM json_each(iif("
    "    json_valid(suspicion.old_nights), suspicion.old_nights, '[]')) AS one"
    "   CROSS JOIN nightly AS old ON old.id = one.value AND one.type = 'integer')"
    "  AS 'old_nights:json',"
    " (SELECT json_object('state', iif(better.ended_at_s IS NULL, 'searching',"
    "   iif(better.culprit IS NULL, 'not_known', 'found')), 'others', better.others,"
    "   'request', better.request_id, 'culprit', better.culprit,"
    "   'subject', nullif(better.subject, ''),"
    "   'culprit_ratio', better.verified ->> '$.change_ratio', 'message', better.message)"
    "  FROM improvement AS better WHERE better.suspicion_id = suspicion.id)"
    "  AS 'improvement:json'"
    " FROM suspicion JOIN series ON series.id = suspicion.series_id"
    " JOIN project ON project.id = series.project_id"
    " JOIN machine_class ON machine_class.id = series.machine_class_id"
    " WHERE suspicion.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:state IS NULL OR suspicion.state = :state)"
    " AND (:verdict IS NULL OR suspicion.verdict = :verdict)"
    " AND (:metric IS NULL OR series.metric = :metric)"
    " AND (:benchmark IS NULL OR series.benchmark = :benchmark)"
    " AND (:case IS NULL OR series.case_name = :case)"
    " AND (:variant IS NULL OR series.variant = :variant)"
    " AND (:machine_class IS NULL OR machine_class.name = :machine_class)"
    " AND (:nightly IS NULL OR suspicion.nightly_id = :nightly)"
    " AND (:series IS NULL OR suspicion.series_id = :series)"
    " AND (:since_s IS NULL OR suspicion.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR suspicion.created_at_s < :until_s)"
    " AND (:waiting IS NULL OR (suspicion.waits <> '') = (:waiting <> 0))"
    " AND (:asked IS NULL OR (suspicion.asked = :asked AND suspicion.kind = 'level'))"
    " ORDER BY suspicion.id DESC LIMIT :limit"};

const List drifts{
    "drift",
    "SELECT drift.id, project.name AS project, series.id AS series, series.benchmark,"
    " nullif(series.case_name, '') AS 'case', series.variant,"
    " machine_class.name AS machine_class, series.metric,"
    " nullif(series.quantity, '') AS quantity, series.unit, drift.kind,"
    " drift.nightly_id AS nightly, drift.since_nightly_id AS since_nightly,"
    " drift.since_earliest_id AS since_earliest, drift.since_latest_id AS since_latest,"
    " since.day AS since_day, since.version AS since_version, since.name AS since_name,"
    " drift.suspicion_id AS suspicion, drift.before, drift.after, drift.change_ratio, drift.low,"
    " drift.high, drift.created_at_s"
    " FROM drift JOIN series ON series.id = drift.series_id"
    " JOIN project ON project.id = series.project_id"
    " JOIN machine_class ON machine_class.id = series.machine_class_id"
    " JOIN nightly AS since ON since.id = drift.since_nightly_id"
    " WHERE drift.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:metric IS NULL OR series.metric = :metric)"
    " AND (:benchmark IS NULL OR series.benchmark = :benchmark)"
    " AND (:case IS NULL OR series.case_name = :case)"
    " AND (:variant IS NULL OR series.variant = :variant)"
    " AND (:machine_class IS NULL OR machine_class.name = :machine_class)"
    " AND (:nightly IS NULL OR drift.nightly_id = :nightly)"
    " AND (:series IS NULL OR drift.series_id = :series)"
    " AND (:since_s IS NULL OR drift.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR drift.created_at_s < :until_s)"
    " ORDER BY drift.id DESC LIMIT :limit"};

const List backfills{
    "backfill",
    "SELECT backfill.id, project.name AS project, backfill.state, backfill.message,"
    " backfill.nights, backfill.runs_budget, backfill.night_runs, backfill.token AS asked_by,"
    " nullif(backfill.cancelled_by, '') AS cancelled_by,"
    // One that waits for its turn has no jobs.
    " (SELECT coalesce(sum(NOT EXISTS (SELECT 1 FROM job WHERE job.nightly_id = nightly.id)), 0)"
    "  FROM nightly WHERE backfill_id = backfill.id AND state = 'measuring')"
    "  + (SELECT count(*) FROM past_archive"
    "  WHERE backfill_id = backfill.id AND skipped IS NULL) AS waiting,"
    " (SELECT coalesce(sum(EXISTS (SELECT 1 FROM job WHERE job.nightly_id = nightly.id)), 0)"
    "  FROM nightly WHERE backfill_id = backfill.id AND state = 'measuring') AS measuring,"
    " (SELECT coalesce(sum(state = 'done'), 0) FROM nightly"
    "  WHERE backfill_id = backfill.id) AS measured,"
    " (SELECT coalesce(sum(state = 'failed'), 0) FROM nightly"
    "  WHERE backfill_id = backfill.id) AS failed,"
    " (SELECT count(*) FROM past_archive"
    "  WHERE backfill_id = backfill.id AND skipped IS NOT NULL) AS skipped,"
    " (SELECT count(*) FROM drift JOIN nightly ON nightly.id = drift.nightly_id"
    "  WHERE nightly.backfill_id = backfill.id AND drift.kind IN ('past', 'unsure')) AS steps,"
    " backfill.created_at_s, backfill.begun_at_s, backfill.ended_at_s"
    " FROM backfill JOIN project ON project.id = backfill.project_id"
    " WHERE backfill.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:state IS NULL OR backfill.state = :state)"
    " AND (:since_s IS NULL OR backfill.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR backfill.created_at_s < :until_s)"
    " ORDER BY backfill.id DESC LIMIT :limit",
    {{"nightlies",
      "SELECT id, name, version, revision, state, message FROM nightly WHERE backfill_id = ?1"
      " ORDER BY id LIMIT 400"},
     {"skipped_archives",
      "SELECT version, day, skipped AS message FROM past_archive"
      " WHERE backfill_id = ?1 AND skipped IS NOT NULL ORDER BY nightly_id LIMIT 400"},
     // What happened lies after good_revision, up to and with bad_revision.
     {"found",
      "SELECT drift.id AS drift, drift.kind, series.id AS series, series.benchmark,"
      " nullif(series.case_name, '') AS 'case', series.variant,"
      " machine_class.name AS machine_class, series.metric,"
      " nullif(series.quantity, '') AS quantity, series.unit,"
      " (SELECT before.revision FROM night AS before WHERE before.project_id = series.project_id"
      "  AND before.id < drift.since_earliest_id ORDER BY before.id DESC LIMIT 1)"
      "  AS good_revision,"
      " latest.revision AS bad_revision, since.name AS since_name, drift.before, drift.after,"
      " drift.change_ratio, drift.low, drift.high"
      " FROM nightly JOIN drift ON drift.nightly_id = nightly.id"
      "  AND drift.kind IN ('past', 'unsure')"
      " JOIN series ON series.id = drift.series_id"
      " JOIN machine_class ON machine_class.id = series.machine_class_id"
      " JOIN nightly AS since ON since.id = drift.since_nightly_id"
      " JOIN nightly AS latest ON latest.id = drift.since_latest_id"
      " WHERE nightly.backfill_id = ?1 ORDER BY abs(drift.change_ratio) DESC, drift.id"
      " LIMIT 500"}}};

}  // namespace vigil::service::lists
