#include "service/schedule/job_rows.hpp"

#include "schema/model/error.hpp"
#include "service/schedule/job_rules.hpp"
#include "service/store/events.hpp"
#include "service/store/workers.hpp"

namespace vigil::service {

JobRow load_job_row(Database& db, JobId job) {
    auto rows = db.query(
        "SELECT project_id, machine_class_id, state, attempt, lost_attempts, worker_id FROM job "
        "WHERE id = ?1",
        job);
    if (!rows.next()) throw Error(Errc::not_found, "there is no job " + to_string(job));
    return {
        job,
        rows.get<ProjectId>(0),
        rows.get<MachineClassId>(1),
        rows.get<JobState>(2),
        rows.get<int>(3),
        rows.get<int>(4),
        rows.get<std::optional<WorkerId>>(5)};
}

void lose_attempt(
    Database& db,
    const JobConfig& rules,
    const JobRow& job,
    std::string_view outcome,
    const std::string& why,
    std::int64_t now_s) {
    db.execute(
        "UPDATE attempt SET outcome = ?3, message = ?4, ended_at_s = ?5 "
        "WHERE job_id = ?1 AND number = ?2",
        job.id,
        job.attempt,
        outcome,
        why,
        now_s);
    const int workers_lost =
        db.find<int>(
              "SELECT COUNT(DISTINCT worker_id) FROM attempt WHERE job_id = ?1 "
              "AND outcome IN ('lost', 'failed')",
              job.id)
            .value_or(0);
    const int class_size =
        db.find<int>(
              "SELECT COUNT(*) FROM worker w WHERE w.machine_class_id = ?1 "
              "AND (w.state = 'active' AND w.last_seen_at_s > ?3 OR EXISTS (SELECT 1 FROM attempt "
              "a WHERE a.job_id = ?2 AND a.worker_id = w.id AND a.outcome IN ('lost', 'failed')))",
              job.machine_class,
              job.id,
              seen_after_s(rules, now_s))
            .value_or(0);
    const int lost = job.lost_attempts + 1;
    const auto state = after_loss(lost, workers_lost, class_size, rules.max_lost_attempts);
    const bool over = is_over(state);
    db.execute(
        "UPDATE job SET state = ?2, lost_attempts = ?3, worker_id = NULL, "
        "lease_expires_at_s = NULL, waits_since_s = NULL, progress = '', message = ?4, "
        "ended_at_s = ?5 WHERE id = ?1",
        job.id,
        state,
        lost,
        over ? why : std::string(),
        over ? std::optional(now_s) : std::nullopt);
    record_event(
        db,
        now_s,
        over ? "job.parked" : "job.lost",
        job.project,
        "job/" + to_string(job.id),
        "attempt " + std::to_string(job.attempt) + " " + std::string(outcome) + ": " + why);
}

void give_back(Database& db, const JobRow& job, const std::string& why, std::int64_t now_s) {
    db.execute(
        "UPDATE attempt SET outcome = 'released', message = ?3, ended_at_s = ?4 "
        "WHERE job_id = ?1 AND number = ?2",
        job.id,
        job.attempt,
        why,
        now_s);
    db.execute(
        "UPDATE job SET state = 'queued', worker_id = NULL, lease_expires_at_s = NULL, "
        "progress = '' WHERE id = ?1",
        job.id);
    record_event(
        db,
        now_s,
        "job.released",
        job.project,
        "job/" + to_string(job.id),
        "attempt " + std::to_string(job.attempt) + " ran nothing: " + why);
}

}  // namespace vigil::service
