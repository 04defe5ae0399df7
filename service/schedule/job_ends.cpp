#include "service/schedule/job_ends.hpp"

#include <optional>

#include "service/schedule/job_rules.hpp"
#include "service/store/work/claimers.hpp"
#include "service/store/workers.hpp"

namespace vigil::service {

void lose_attempt(
    Database& db,
    const JobConfig& rules,
    const JobRow& job,
    const AttemptEnd& end,
    std::int64_t now_s) {
    end_attempt(db, job, end, now_s);
    const auto lost_by =
        workers_of(list_attempts(db, job.id), {AttemptOutcome::lost, AttemptOutcome::failed});
    const int class_size = count_askable(
        list_class_workers(db, job.machine_class), lost_by, seen_after_s(rules, now_s));
    const auto state = after_loss(
        job.lost_attempts + 1,
        static_cast<int>(lost_by.size()),
        class_size,
        rules.max_lost_attempts);
    const bool over = is_over(state);
    move_job(
        db,
        job,
        {.to = state,
         .lost = true,
         .message = over ? end.message : "",
         .ended_at_s = over ? std::optional(now_s) : std::nullopt});
    record_job(
        db,
        job,
        over ? "job.parked" : "job.lost",
        "attempt " + std::to_string(job.attempt) + " " + std::string(to_string(end.outcome)) +
            ": " + end.message,
        now_s);
}

void give_back(Database& db, const JobRow& job, const AttemptEnd& end, std::int64_t now_s) {
    end_attempt(db, job, end, now_s);
    move_job(db, job, {.to = JobState::queued});
    record_job(
        db,
        job,
        "job.released",
        "attempt " + std::to_string(job.attempt) + " ran nothing: " + end.message,
        now_s);
}

void end_unreadable(Database& db, const JobRow& job, const std::string& why, std::int64_t now_s) {
    move_job(
        db,
        job,
        {.to = JobState::failed, .message = "it cannot be read: " + why, .ended_at_s = now_s});
    record_job(db, job, "job.unreadable", why, now_s);
}

}  // namespace vigil::service
