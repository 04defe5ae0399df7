#include "service/schedule/leases.hpp"

#include <optional>

#include "schema/model/error.hpp"
#include "service/schedule/job_rules.hpp"
#include "service/schedule/worker_state.hpp"
#include "service/store/alone.hpp"
#include "service/store/work/claimers.hpp"

namespace vigil::service {

HeartbeatReply heartbeat(
    Database& db,
    const JobConfig& rules,
    JobId id,
    int attempt,
    WorkerId worker,
    const std::string& progress,
    const Moment& now) {
    const auto job = load_job(db, id);
    const bool newest = job.attempt == attempt && job.worker == worker;
    if (newest && job.state == JobState::cancelled) return {.cancel = true, .ttl_s = 0};
    if (!newest || job.state != JobState::leased) {
        throw Error(
            Errc::conflict,
            "attempt " + std::to_string(attempt) + " of job " + to_string(id) +
                " is over; its result will not be taken");
    }
    renew_lease(db, id, now.steady_s + rules.lease_ttl_s, progress);
    note_seen(db, worker, now.now_s);
    return {.cancel = false, .ttl_s = rules.lease_ttl_s};
}

void meet_process(
    Database& db,
    const JobConfig& rules,
    WorkerId id,
    const std::string& instance,
    std::int64_t now_s) {
    if (instance.empty()) return;
    const auto worker = find_claimer(db, id);
    VIGIL_ASSERT(worker);
    if (worker->instance == instance) return;
    if (worker->instance_before == instance) {
        throw Error(
            Errc::conflict,
            "another process claims as worker " + worker->name +
                " since; end one of them, or give it a token of its own");
    }
    note_instance(db, id, instance, worker->instance);
    take_back_leases(db, rules, id, "its worker's process is gone", LeaseLoss::counted, now_s);
}

int expire_leases(Database& db, const JobConfig& rules, const Moment& now) {
    const AttemptEnd expired{AttemptOutcome::lost, "the lease expired"};
    int count = 0;
    for (const auto& job : list_leased(db)) {
        if (job.lease_expires_at_s > now.steady_s) continue;
        const auto trouble =
            try_alone(db, [&] { lose_attempt(db, rules, job, expired, now.now_s); });
        if (trouble) end_unreadable(db, job, *trouble, now.now_s);
        ++count;
    }
    return count;
}

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
        "attempt " + std::to_string(job.attempt) +
            (end.outcome == AttemptOutcome::released ? " ran nothing: " : " was taken back: ") +
            end.message,
        now_s);
}

void take_back_leases(
    Database& db,
    const JobConfig& rules,
    WorkerId worker,
    const std::string& why,
    LeaseLoss loss,
    std::int64_t now_s) {
    const AttemptEnd end{AttemptOutcome::lost, why};
    for (const auto& job : list_leased(db)) {
        if (job.worker != worker) continue;
        if (loss == LeaseLoss::forgiven) {
            give_back(db, job, end, now_s);
        } else {
            lose_attempt(db, rules, job, end, now_s);
        }
    }
}

void end_unreadable(Database& db, const JobRow& job, const std::string& why, std::int64_t now_s) {
    move_job(
        db,
        job,
        {.to = JobState::failed, .message = "it cannot be read: " + why, .ended_at_s = now_s});
    record_job(db, job, "job.unreadable", why, now_s);
}

}  // namespace vigil::service
