#include "service/store/work/attempts.hpp"

namespace vigil::service {

namespace {

const std::string select_attempts =
    "SELECT number, worker_id, recipe_digest, key, outcome, result_digest FROM attempt ";

}  // namespace

std::vector<AttemptRow> list_attempts(Database& db, JobId job) {
    return db.all<AttemptRow>(select_attempts + "WHERE job_id = ?1 ORDER BY number", job);
}

std::optional<AttemptRow> find_attempt(Database& db, JobId job, int number) {
    return db.first<AttemptRow>(select_attempts + "WHERE job_id = ?1 AND number = ?2", job, number);
}

void add_attempt(Database& db, JobId job, const AttemptRow& attempt, std::int64_t now_s) {
    db.execute(
        "INSERT INTO attempt(job_id, number, worker_id, recipe_digest, key, outcome, "
        "result_digest, claimed_at_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        job,
        attempt,
        now_s);
}

void end_attempt(Database& db, const JobRow& job, const AttemptEnd& end, std::int64_t now_s) {
    db.execute(
        "UPDATE attempt SET outcome = ?3, message = ?4, result_digest = ?5, "
        "environment_before_id = ?6, environment_after_id = ?7, load = ?8, ended_at_s = ?9 "
        "WHERE job_id = ?1 AND number = ?2 AND outcome IS NULL",
        job.id,
        job.attempt,
        end,
        now_s);
}

void note_stale_result(Database& db, JobId job, int number) {
    db.execute(
        "UPDATE attempt SET stale_results = stale_results + 1 WHERE job_id = ?1 AND number = ?2",
        job,
        number);
}

}  // namespace vigil::service
