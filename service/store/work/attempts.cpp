#include "service/store/work/attempts.hpp"

namespace vigil::service {

namespace {

std::vector<AttemptRow> read_attempts(Query rows) {
    std::vector<AttemptRow> attempts;
    while (rows.next()) {
        attempts.push_back(
            {.number = rows.get<int>(0),
             .worker = rows.get<WorkerId>(1),
             .recipe = rows.get<Digest>(2),
             .key = rows.get<std::string>(3),
             .outcome = rows.get<std::optional<AttemptOutcome>>(4),
             .result = rows.get<std::optional<Digest>>(5)});
    }
    return attempts;
}

}  // namespace

std::vector<AttemptRow> list_attempts(Database& db, JobId job) {
    return read_attempts(db.query(
        "SELECT number, worker_id, recipe_digest, key, outcome, result_digest FROM attempt "
        "WHERE job_id = ?1 ORDER BY number",
        job));
}

std::optional<AttemptRow> find_attempt(Database& db, JobId job, int number) {
    auto found = read_attempts(db.query(
        "SELECT number, worker_id, recipe_digest, key, outcome, result_digest FROM attempt "
        "WHERE job_id = ?1 AND number = ?2",
        job,
        number));
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
}

void add_attempt(Database& db, JobId job, const AttemptRow& attempt, std::int64_t now_s) {
    db.execute(
        "INSERT INTO attempt(job_id, number, worker_id, recipe_digest, claimed_at_s, key) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        job,
        attempt.number,
        attempt.worker,
        attempt.recipe,
        now_s,
        attempt.key);
}

void end_attempt(Database& db, const JobRow& job, const AttemptEnd& end, std::int64_t now_s) {
    db.execute(
        "UPDATE attempt SET outcome = ?3, message = ?4, ended_at_s = ?5, result_digest = ?6, "
        "environment_before_id = ?7, environment_after_id = ?8, load = ?9 "
        "WHERE job_id = ?1 AND number = ?2 AND outcome IS NULL",
        job.id,
        job.attempt,
        end.outcome,
        end.message,
        now_s,
        end.result,
        end.before,
        end.after,
        end.readings);
}

void note_stale_result(Database& db, JobId job, int number) {
    db.execute(
        "UPDATE attempt SET stale_results = stale_results + 1 WHERE job_id = ?1 AND number = ?2",
        job,
        number);
}

}  // namespace vigil::service
