#include "service/store/lists/lists.hpp"

namespace vigil::service::lists {

const List allocations{
    "allocation",
    "SELECT allocation.id, machine_class.name AS machine_class, allocation.name, allocation.state,"
    " allocation.cluster_job, allocation.machine, allocation.outcome, allocation.reason,"
    " allocation.created_at_s, allocation.seen_at_s, allocation.started_at_s,"
    " allocation.ended_at_s FROM allocation"
    " JOIN machine_class ON machine_class.id = allocation.machine_class_id"
    " WHERE allocation.id <= :newest"
    " AND (:machine_class IS NULL OR machine_class.name = :machine_class)"
    " AND (:state IS NULL OR allocation.state = :state)"
    " AND (:since_s IS NULL OR allocation.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR allocation.created_at_s < :until_s)"
    " ORDER BY allocation.id DESC LIMIT :limit"};

const List audit{
    "change",
    "SELECT audit.id, audit.at_s, audit.who, audit.token_id AS token, audit.address, audit.action, "
    "audit.object,"
    " audit.reason, audit.asked AS 'asked:json', audit.request_id FROM audit"
    " WHERE audit.id <= :newest AND (:who IS NULL OR audit.who = :who)"
    " AND (:action IS NULL OR audit.action = :action)"
    " AND (:object IS NULL OR audit.object = :object)"
    " AND (:since_s IS NULL OR audit.at_s >= :since_s)"
    " AND (:until_s IS NULL OR audit.at_s < :until_s) ORDER BY audit.id DESC LIMIT :limit"};

const List canaries{
    "canary",
    "SELECT canary.id, project.name AS project, canary.nightly_id AS nightly,"
    " nightly.name AS night,"
    " worker.name AS worker, machine_class.name AS machine_class, canary.state,"
    " canary.job_id AS job, canary.series_id AS series, canary.value, canary.base,"
    " canary.moved_ratio, canary.message, canary.created_at_s, canary.ended_at_s"
    " FROM canary_check AS canary JOIN nightly ON nightly.id = canary.nightly_id"
    " JOIN project ON project.id = nightly.project_id"
    " JOIN worker ON worker.id = canary.worker_id"
    " JOIN machine_class ON machine_class.id = worker.machine_class_id"
    " WHERE canary.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:nightly IS NULL OR canary.nightly_id = :nightly)"
    " AND (:worker IS NULL OR worker.name = :worker)"
    " AND (:state IS NULL OR canary.state = :state)"
    " AND (:since_s IS NULL OR canary.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR canary.created_at_s < :until_s)"
    " ORDER BY canary.id DESC LIMIT :limit"};

const List environments{
    "environment",
    "SELECT known.id, worker.name AS worker, machine_class.name AS machine_class,"
    " environment.facts AS 'facts:json', (SELECT facts FROM environment WHERE id ="
    "  (SELECT environment_id FROM worker_environment WHERE worker_id = known.worker_id"
    "   AND id < known.id ORDER BY id DESC LIMIT 1)) AS 'before:json', known.at_s"
    " FROM worker_environment AS known JOIN worker ON worker.id = known.worker_id"
    " JOIN machine_class ON machine_class.id = worker.machine_class_id"
    " JOIN environment ON environment.id = known.environment_id"
    " WHERE known.id <= :newest AND (:worker IS NULL OR worker.name = :worker)"
    " AND (:since_s IS NULL OR known.at_s >= :since_s)"
    " AND (:until_s IS NULL OR known.at_s < :until_s) ORDER BY known.id DESC LIMIT :limit"};

const List storms{
    "storm",
    "SELECT storm.id, project.name AS project, storm.nightly_id AS nightly,"
    " worker.name AS worker, storm.state, storm.series, storm.suspicious, storm.moved_ratio,"
    " storm.rebased, storm.message, storm.created_at_s, storm.ended_at_s"
    " FROM storm JOIN nightly ON nightly.id = storm.nightly_id"
    " JOIN project ON project.id = nightly.project_id JOIN worker ON worker.id = storm.worker_id"
    " WHERE storm.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:nightly IS NULL OR storm.nightly_id = :nightly)"
    " AND (:worker IS NULL OR worker.name = :worker)"
    " AND (:state IS NULL OR storm.state = :state)"
    " AND (:since_s IS NULL OR storm.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR storm.created_at_s < :until_s)"
    " ORDER BY storm.id DESC LIMIT :limit"};

const List workers{
    "worker",
    "SELECT worker.id, worker.name, machine_class.name AS machine_class, worker.state,"
    " worker.reason, worker.fingerprint AS 'fingerprint:json', worker.toolchain,"
    " worker.first_seen_at_s, worker.last_seen_at_s, (SELECT max(job.id) FROM job"
    "  WHERE job.worker_id = worker.id AND job.state = 'leased') AS job,"
    " worker.containment AS 'containment:json'"
    " FROM worker JOIN machine_class ON machine_class.id = worker.machine_class_id"
    " WHERE worker.id <= :newest"
    " AND (:machine_class IS NULL OR machine_class.name = :machine_class)"
    " AND (:state IS NULL OR worker.state = :state) ORDER BY worker.id DESC LIMIT :limit"};

const List tokens{
    "token",
    "SELECT id, name, scope, projects AS 'projects:json', created_at_s, expires_at_s, used_at_s,"
    " revoked_at_s FROM token"
    " WHERE id <= :newest ORDER BY id DESC LIMIT :limit"};

const List triggers{
    "trigger",
    "SELECT wish.id, project.name AS project, wish.cause, wish.cause_key,"
    " wish.revision AS wanted, wish.state, wish.message, wish.nightly_id AS nightly,"
    " wish.created_at_s, wish.ended_at_s"
    " FROM trigger_request AS wish JOIN project ON project.id = wish.project_id"
    " WHERE wish.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:state IS NULL OR wish.state = :state) AND (:cause IS NULL OR wish.cause = :cause)"
    " AND (:nightly IS NULL OR wish.nightly_id = :nightly)"
    " AND (:since_s IS NULL OR wish.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR wish.created_at_s < :until_s) ORDER BY wish.id DESC LIMIT :limit"};

const List deliveries{
    "delivery",
    "SELECT delivery.id, delivery.external_id, delivery.event, delivery.state, delivery.message,"
    " delivery.body_digest, "
    " iif(length(delivery.body) > 0, length(delivery.body),"
    " ifnull((SELECT size_bytes FROM content WHERE digest = delivery.body_digest"
    " AND kind = 'delivery'), 0)) AS kept_bytes,"
    " delivery.replays,"
    " delivery.received_at_s FROM delivery WHERE delivery.id <= :newest"
    " AND (:state IS NULL OR delivery.state = :state)"
    " AND (:since_s IS NULL OR delivery.received_at_s >= :since_s)"
    " AND (:until_s IS NULL OR delivery.received_at_s < :until_s)"
    " ORDER BY delivery.id DESC LIMIT :limit"};

const List jobs{
    "job",
    "SELECT job.id, project.name AS project, machine_class.name AS machine_class, job.purpose,"
    " job.state, job.priority, job.nightly_id AS nightly, job.session_id AS session,"
    " job.probe_id AS probe, job.attempt, job.lost_attempts, worker.name AS worker,"
    " job.lease_expires_at_s, job.progress, job.message, job.created_at_s, job.ended_at_s"
    " FROM job JOIN project ON project.id = job.project_id"
    " JOIN machine_class ON machine_class.id = job.machine_class_id"
    " LEFT JOIN worker ON worker.id = job.worker_id"
    " WHERE job.id <= :newest AND (:project IS NULL OR project.name = :project)"
    " AND (:state IS NULL OR job.state = :state) AND (:purpose IS NULL OR job.purpose = :purpose)"
    " AND (:machine_class IS NULL OR machine_class.name = :machine_class)"
    " AND (:worker IS NULL OR worker.name = :worker)"
    " AND (:nightly IS NULL OR job.nightly_id = :nightly)"
    " AND (:session IS NULL OR job.session_id = :session)"
    " AND (:probe IS NULL OR job.probe_id = :probe)"
    " AND (:since_s IS NULL OR job.created_at_s >= :since_s)"
    " AND (:until_s IS NULL OR job.created_at_s < :until_s) ORDER BY job.id DESC LIMIT :limit",
    {{"", "SELECT plan AS 'plan:job_plan' FROM job WHERE id = ?1"},
     {"builds",
      "SELECT job_build.position, build.id, build.revision FROM job_build"
      " JOIN build ON build.id = job_build.build_id WHERE job_id = ?1 ORDER BY position"},
     {"attempts",
      "SELECT attempt.number, worker.name AS worker, claimed_at_s, ended_at_s, outcome, message,"
      " stale_results FROM attempt JOIN worker ON worker.id = attempt.worker_id"
      " WHERE job_id = ?1 ORDER BY number"},
     {"runs",
      "SELECT id, attempt, step, build_id AS build, benchmark, nullif(case_name, '') AS 'case',"
      " variant, outcome, message,"
      " log_digest AS log, duration_ns FROM run WHERE job_id = ?1 ORDER BY attempt, step"}},
    {},
    {},
    {{"state", "done", "job.state <> 'done'"}}};

}  // namespace vigil::service::lists
