#include <nlohmann/json.hpp>

#include "service/store/lists/lists.hpp"

namespace vigil::service::lists {

const List bisections{
    "bisection",
    "SELECT bisection.id, project.name AS project, bisection.nightly_id AS nightly,"
    " bisection.good_revision, bisection.bad_revision, bisection.state, bisection.planner,"
    " bisection.created_at_s, bisection.ended_at_s, bisection.outer_id AS 'outer',"
    " bisection.merge, bisection.parent, nullif(bisection.dependency, '') AS dependency,"
    " bisection.narrowed_by, bisection.kind"
    " FROM bisection JOIN project ON project.id = bisection.project_id"
    " WHERE bisection.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:state IS NULL OR bisection.state = :state)"
    " AND (:nightly IS NULL OR bisection.nightly_id = :nightly)"
    " AND (:since_s IS NULL OR bisection.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR bisection.created_at_s < :until_s)"
    " ORDER BY bisection.id DESC LIMIT :limit",
    {{"",
      "SELECT settings AS 'settings:search_settings',"
      " conclusion AS 'conclusion:search_conclusion', log_tail FROM bisection WHERE id = ?1"},
     // Those it gave their answer, and the one that it was begun for.
     {"regressions",
      "SELECT id FROM regression WHERE bisection_id = ?1"
      " OR id = (SELECT regression_id FROM bisection WHERE id = ?1)"
      " OR id = (SELECT regression_id FROM mending WHERE bisection_id = ?1) ORDER BY id LIMIT 500"},
     {"inner", "SELECT id FROM bisection WHERE outer_id = ?1 ORDER BY id LIMIT 500"},
     {"suspects",
      "SELECT position, revision, parent, merge AS 'merge:bool', subject, author, authored_at_s,"
      " build_id AS build, brought AS 'brought:json', nullif(dependency, '') AS dependency,"
      " stands_for FROM suspect WHERE bisection_id = ?1"
      " ORDER BY position LIMIT 5000"},
     {"probes",
      "SELECT probe.id, probe.number, probe.plan AS 'plan:probe_plan', probe.state,"
      " probe.created_at_s,"
      " job.id AS job, job.state AS job_state, worker.name AS worker,"
      " machine_class.name AS machine_class, (SELECT claimed_at_s FROM attempt"
      "  WHERE attempt.job_id = job.id AND attempt.number = job.attempt) AS begun_at_s,"
      " job.ended_at_s FROM probe LEFT JOIN job ON job.probe_id = probe.id"
      " LEFT JOIN worker ON worker.id = job.worker_id"
      " LEFT JOIN machine_class ON machine_class.id = job.machine_class_id"
      " WHERE probe.bisection_id = ?1 ORDER BY probe.number LIMIT 2000",
      // A run without a value has series, metric and value null.
      {{"observations",
        "SELECT run.id AS run, job.id AS job, run.step, build.revision, run.outcome,"
        " run.log_digest AS log, series.id AS series, series.metric, measurement.median AS value"
        " FROM job JOIN run ON run.job_id = job.id JOIN build ON build.id = run.build_id"
        " LEFT JOIN measurement ON measurement.run_id = run.id"
        " LEFT JOIN series ON series.id = measurement.series_id"
        " WHERE job.probe_id = ?1 ORDER BY run.id, series.id LIMIT 5000"}}}}};

const List events{
    "event",
    "SELECT event.id, event.at_s, event.kind, project.name AS project, event.subject,"
    " event.message, event.data AS 'data:json'"
    " FROM event LEFT JOIN project ON project.id = event.project_id"
    " WHERE event.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:kind IS NULL OR event.kind = :kind) AND (:subject IS NULL OR event.subject = :subject)"
    " AND (:after IS NULL OR event.id > :after) AND (:since_s IS NULL OR event.at_s >= :since_s)"
    " AND (:until_s IS NULL OR event.at_s < :until_s) ORDER BY event.id DESC LIMIT :limit"};

const List missed{
    "missed",
    "SELECT missed.id, project.name AS project, missed.series_id AS series, series.benchmark,"
    " nullif(series.case_name, '') AS 'case', series.variant,"
    " machine_class.name AS machine_class, series.metric,"
    " nullif(series.quantity, '') AS quantity,"
    " missed.nightly_id AS nightly, nightly.name AS night,"
    " missed.good_nightly_id AS good_nightly, nullif(missed.believed, '') AS 'commit',"
    " missed.reason, missed.token AS 'by', missed.state, missed.message,"
    " missed.request_id AS request, (SELECT max(link.regression_id) FROM regression_series AS link"
    "  WHERE link.suspicion_id = missed.suspicion_id) AS regression,"
    " missed.created_at_s, missed.ended_at_s FROM missed"
    " JOIN project ON project.id = missed.project_id JOIN series ON series.id = missed.series_id"
    " JOIN machine_class ON machine_class.id = series.machine_class_id"
    " JOIN nightly ON nightly.id = missed.nightly_id"
    " WHERE missed.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:state IS NULL OR missed.state = :state)"
    " AND (:series IS NULL OR missed.series_id = :series)"
    " AND (:nightly IS NULL OR missed.nightly_id = :nightly)"
    " AND (:since_s IS NULL OR missed.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR missed.created_at_s < :until_s)"
    " ORDER BY missed.id DESC LIMIT :limit"};

const List mutes{
    "mute",
    "SELECT mute.id, project.name AS project, mute.regression_id AS regression,"
    " mute.series_id AS series, series.benchmark, nullif(series.case_name, '') AS 'case',"
    " series.variant, machine_class.name AS machine_class, series.metric,"
    " nullif(series.quantity, '') AS quantity,"
    " iif(mute.ended_s IS NULL, 'active', 'ended') AS state, mute.owner, mute.reason,"
    " mute.token AS 'by', mute.since_s, mute.until_s, mute.ended_s, mute.ended_why"
    " FROM mute JOIN project ON project.id = mute.project_id"
    " LEFT JOIN series ON series.id = mute.series_id"
    " LEFT JOIN machine_class ON machine_class.id = series.machine_class_id"
    " WHERE mute.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:regression IS NULL OR mute.regression_id = :regression)"
    " AND (:series IS NULL OR mute.series_id = :series)"
    " AND (:owner IS NULL OR mute.owner = :owner)"
    " AND (:state IS NULL OR (mute.ended_s IS NULL) = (:state = 'active'))"
    " AND (:since_s IS NULL OR mute.since_s >= :since_s)"
    " AND (:until_s IS NULL OR mute.since_s < :until_s) ORDER BY mute.id DESC LIMIT :limit"};

nlohmann::json load_events_after(Database& db, std::int64_t after, int limit) {
    return all_rows(db.query(
        "SELECT event.id, event.at_s, event.kind, project.name AS project, event.subject,"
        " event.message, event.data AS 'data:json'"
        " FROM event LEFT JOIN project ON project.id = event.project_id"
        " WHERE event.id > ?1 ORDER BY event.id LIMIT ?2",
        after,
        limit));
}

const List regressions{
    "regression",
    "SELECT regression.id, project.name AS project, regression.nightly_id AS nightly,"
    " regression.state, regression.ended_as, good.id AS good_build, good.revision AS good_revision,"
    " bad.id AS bad_build, bad.revision AS bad_revision, regression.bisection_id AS bisection,"
    " regression.split_from_id AS split_from, regression.culprit,"
    " regression.suspects AS 'suspects:json', regression.reason, regression.created_at_s,"
    " regression.changed_at_s, nullif(regression.assigned, '') AS assigned,"
    " EXISTS (SELECT 1 FROM muted WHERE regression_id = regression.id) AS 'muted:bool',"
    " iif(suspect.subject IS NULL, NULL, json_object('revision', suspect.revision,"
    "  'parent', suspect.parent, 'subject', suspect.subject, 'author', suspect.author,"
    "  'authored_at_s', suspect.authored_at_s)) AS 'culprit_commit:json',"
    " json_object('issue', (SELECT outbox.external_ref FROM outbox"
    "  JOIN report ON report.id = outbox.report_id WHERE report.regression_id = regression.id"
    "  AND report.kind = 'regression' AND outbox.external_ref LIKE 'http%'"
    "  ORDER BY report.version DESC, outbox.id LIMIT 1)) AS 'links:json'"
    " FROM regression"
    " JOIN project ON project.id = regression.project_id"
    " JOIN build AS good ON good.id = regression.good_build_id"
    " JOIN build AS bad ON bad.id = regression.bad_build_id"
    // Of the search that named it, which may be one inside of a merge.
    " LEFT JOIN suspect ON suspect.revision = regression.culprit AND suspect.position > 0"
    // Cross join: few searches, of one the suspects by its key, never all suspects of all.
    "  AND suspect.bisection_id = (SELECT max(b.id) FROM bisection AS b CROSS JOIN suspect AS s"
    "   ON s.bisection_id = b.id AND s.revision = regression.culprit AND s.position > 0"
    "   WHERE b.id = regression.bisection_id OR b.regression_id = regression.id)"
    " WHERE regression.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:state IS NULL OR regression.state IN (SELECT value FROM json_each(:state))"
    "  OR regression.ended_as IN (SELECT value FROM json_each(:state)))"
    " AND (coalesce(:metric, :benchmark, :case, :variant, :machine_class) IS NULL"
    "  OR EXISTS (SELECT 1 FROM regression_series AS link JOIN series ON series.id = link.series_id"
    "   JOIN machine_class ON machine_class.id = series.machine_class_id"
    "   WHERE link.regression_id = regression.id AND (:metric IS NULL OR series.metric = :metric)"
    "   AND (:benchmark IS NULL OR series.benchmark = :benchmark)"
    "   AND (:case IS NULL OR series.case_name = :case)"
    "   AND (:variant IS NULL OR series.variant = :variant)"
    "   AND (:machine_class IS NULL OR machine_class.name = :machine_class)))"
    " AND (:assigned IS NULL OR regression.assigned = :assigned)"
    " AND (:muted IS NULL OR"
    "  :muted = EXISTS (SELECT 1 FROM muted WHERE regression_id = regression.id))"
    " AND (:author IS NULL OR instr(lower(suspect.author), lower(:author)) > 0)"
    " AND (:nightly IS NULL OR regression.nightly_id = :nightly)"
    " AND (:bisection IS NULL OR regression.bisection_id = :bisection)"
    " AND (:culprit IS NULL OR regression.culprit = :culprit)"
    " AND (:since_s IS NULL OR regression.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR regression.created_at_s < :until_s)"
    " ORDER BY regression.id DESC LIMIT :limit",
    // Those of the same confirmed series: another commit of the range moved it too.
    {{"others",
      "SELECT DISTINCT theirs.regression_id FROM regression_series AS mine"
      " JOIN regression_series AS theirs ON theirs.suspicion_id = mine.suspicion_id"
      " AND theirs.regression_id <> mine.regression_id"
      " WHERE mine.regression_id = ?1 ORDER BY theirs.regression_id LIMIT 500"},
     {"reports",
      "SELECT id, version, title, created_at_s FROM report"
      " WHERE regression_id = ?1 AND kind = 'regression' ORDER BY version DESC LIMIT 500"},
     // What mutes it, and its series.
     {"mutes",
      "SELECT id FROM mute WHERE ended_s IS NULL AND regression_id = ?1 UNION ALL"
      " SELECT mute.id FROM regression_series AS link JOIN mute ON mute.series_id = link.series_id"
      " AND mute.ended_s IS NULL WHERE link.regression_id = ?1 LIMIT 500"},
     // Those that people told because it was not found.
     {"missed",
      "SELECT missed.id FROM regression_series AS link JOIN missed"
      " ON missed.suspicion_id = link.suspicion_id WHERE link.regression_id = ?1"
      " ORDER BY missed.id LIMIT 500"},
     // What a person last said of it.
     {"",
      "SELECT (SELECT json_object('state', substr(kind, instr(kind, '.') + 1),"
      "  'by', iif(json_type(data, '$.by') = 'text', data ->> '$.by', ''),"
      "  'reason', iif(json_type(data, '$.reason') = 'text', data ->> '$.reason', ''),"
      "  'at_s', at_s) FROM event WHERE subject = 'regression/' || ?1"
      "  AND json_extract(data, '$.by') IS NOT NULL ORDER BY id DESC LIMIT 1) AS 'answer:json'"}},
    {{"series",
      "SELECT series.id AS series, series.benchmark, nullif(series.case_name, '') AS 'case',"
      " series.variant, machine_class.name AS machine_class, series.metric,"
      " nullif(series.quantity, '') AS quantity, series.unit, series.direction,"
      " link.suspicion_id AS suspicion, suspicion.verdict, suspicion.change_ratio,"
      " suspicion.confirmed AS 'confirmed:json', link.verified AS 'verified:json',"
      " link.recovered_nightly_id AS recovered_nightly,"
      // Another regression has a part in what was confirmed.
      " EXISTS (SELECT 1 FROM regression_series AS other"
      "  WHERE other.suspicion_id = link.suspicion_id"
      "  AND other.regression_id <> link.regression_id) AS 'shared:bool'"
      " FROM regression_series AS link JOIN series ON series.id = link.series_id"
      " JOIN machine_class ON machine_class.id = series.machine_class_id"
      " JOIN suspicion ON suspicion.id = link.suspicion_id"
      " WHERE link.regression_id = ?1 ORDER BY series.id LIMIT 500"}},
    {"id",
     "project",
     "state",
     "created_at_s",
     "culprit",
     "culprit_commit/author",
     "culprit_commit/subject",
     "series",
     "worst/benchmark",
     "worst/variant",
     "worst/machine_class",
     "worst/metric",
     "worst/unit",
     "worst/before",
     "worst/after",
     "worst/change_ratio",
     "worst/low",
     "worst/high",
     "worst/today/change_ratio",
     "worst/today/low",
     "worst/today/high",
     "good_revision",
     "bad_revision",
     "links/issue",
     "links/self",
     "assigned",
     "muted",
     "ended_as"}};

const List reports{
    "report",
    "SELECT report.id, report.kind, project.name AS project,"
    " coalesce(report.regression_id, report.about_id) AS regression,"
    " report.nightly_id AS nightly, report.trouble_id AS trouble, report.version, report.title,"
    " report.created_at_s FROM report JOIN project ON project.id = report.project_id"
    " WHERE report.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:kind IS NULL OR report.kind = :kind)"
    " AND (:regression IS NULL OR report.regression_id = :regression)"
    " AND (:nightly IS NULL OR report.nightly_id = :nightly)"
    " AND (:since_s IS NULL OR report.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR report.created_at_s < :until_s)"
    " ORDER BY report.id DESC LIMIT :limit",
    {{"", "SELECT body FROM report WHERE id = ?1"},
     {"messages",
      "SELECT target, state, attempts, external_ref, message FROM outbox WHERE report_id = ?1"
      " ORDER BY id LIMIT 500"}}};

const List outbox{
    "message",
    "SELECT outbox.id, project.name AS project, outbox.report_id AS report,"
    " report.kind AS report_kind, report.version, report.title, outbox.target, outbox.state,"
    " EXISTS (SELECT 1 FROM given_up WHERE given_up.outbox_id = outbox.id) AS 'given_up:bool',"
    " outbox.attempts, outbox.ambiguous AS 'ambiguous:bool',"
    " iif(outbox.state = 'pending', outbox.next_attempt_at_s, NULL) AS next_attempt_at_s,"
    " outbox.external_ref, outbox.message, report.created_at_s"
    " FROM outbox JOIN report ON report.id = outbox.report_id"
    " JOIN project ON project.id = report.project_id"
    " WHERE outbox.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:state IS NULL OR outbox.state = :state)"
    " AND (:given_up IS NULL OR :given_up = EXISTS"
    "  (SELECT 1 FROM given_up WHERE given_up.outbox_id = outbox.id))"
    " AND (:target IS NULL OR outbox.target = :target)"
    " AND (:report IS NULL OR outbox.report_id = :report)"
    " AND (:since_s IS NULL OR report.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR report.created_at_s < :until_s)"
    " ORDER BY outbox.id DESC LIMIT :limit"};

const List requests{
    "request",
    "SELECT request.id, project.name AS project, request.kind, request.state, request.a, request.b,"
    " old.id AS a_build, old.revision AS a_revision, new.id AS b_build,"
    " new.revision AS b_revision, request.asked AS 'asked:requested_measurement',"
    " request.token AS 'by',"
    " request.message, request.bisection_id AS bisection, request.created_at_s,"
    " request.ended_at_s FROM request JOIN project ON project.id = request.project_id"
    " LEFT JOIN build AS old ON old.id = request.a_build_id"
    " LEFT JOIN build AS new ON new.id = request.b_build_id"
    " WHERE request.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:state IS NULL OR request.state = :state) AND (:kind IS NULL OR request.kind = :kind)"
    " AND (:since_s IS NULL OR request.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR request.created_at_s < :until_s)"
    " ORDER BY request.id DESC LIMIT :limit",
    {// The commit that its search names, the innermost where it is inside of merges.
     {"",
      "SELECT (WITH RECURSIVE inner(id) AS (SELECT bisection_id FROM request WHERE id = ?1"
      "  UNION ALL SELECT b.id FROM inner CROSS JOIN bisection AS b ON b.outer_id = inner.id)"
      "  SELECT json_object('revision', suspect.revision, 'parent', suspect.parent,"
      "  'subject', suspect.subject, 'author', suspect.author,"
      "  'authored_at_s', suspect.authored_at_s) FROM inner CROSS JOIN bisection"
      "  ON bisection.id = inner.id AND bisection.state = 'done'"
      "  CROSS JOIN suspect ON suspect.bisection_id = bisection.id"
      "  AND suspect.position = bisection.conclusion ->> '$.endings[0].first'"
      "  WHERE bisection.conclusion ->> '$.endings[0].ending' = 'culprit'"
      "  ORDER BY bisection.id DESC LIMIT 1)"
      " AS 'culprit:json'"},
     {"sessions",
      "SELECT session.id, session.benchmark, session.variant,"
      " machine_class.name AS machine_class, session.state, session.message FROM session"
      " JOIN machine_class ON machine_class.id = session.machine_class_id"
      " WHERE session.request_id = ?1 ORDER BY session.id LIMIT 2000",
      {{"verdicts",
        "SELECT series.id AS series, series.metric, series.unit, said.verdict,"
        " said.comparison AS 'comparison:json', said.reason FROM request_verdict AS said"
        " JOIN series ON series.id = said.series_id WHERE said.session_id = ?1"
        " ORDER BY series.id LIMIT 100"},
       // A run without a value has series, metric and value null.
       {"runs",
        "SELECT run.id AS run, job.id AS job, run.step, build.id AS build, build.revision,"
        " run.outcome, series.id AS series, series.metric, measurement.median AS value"
        " FROM job JOIN run ON run.job_id = job.id AND run.attempt = job.attempt"
        " JOIN build ON build.id = run.build_id"
        " LEFT JOIN measurement ON measurement.run_id = run.id"
        " LEFT JOIN series ON series.id = measurement.series_id"
        " WHERE job.session_id = ?1 ORDER BY run.id, series.id LIMIT 5000"}}}}};

const List troubles{
    "trouble",
    "SELECT trouble.id, trouble.kind, trouble.subject, project.name AS project, trouble.message,"
    " iif(trouble.ended_s IS NULL, 'open', 'ended') AS state, trouble.since_s, trouble.seen_s,"
    " trouble.ended_s FROM trouble LEFT JOIN project ON project.id = trouble.project_id"
    " WHERE trouble.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:kind IS NULL OR trouble.kind = :kind)"
    " AND (:state IS NULL OR (trouble.ended_s IS NULL) = (:state = 'open'))"
    " AND (:since_s IS NULL OR trouble.since_s >= :since_s)"
    " AND (:until_s IS NULL OR trouble.since_s < :until_s)"
    " ORDER BY trouble.id DESC LIMIT :limit"};

}  // namespace vigil::service::lists
