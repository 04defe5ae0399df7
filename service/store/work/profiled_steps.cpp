#include "service/store/work/profiled_steps.hpp"

namespace vigil::service {

void add_profiled_step(Database& db, JobId job, const RunOutcome& run) {
    db.execute(
        "INSERT INTO profiled_step(job_id, step, outcome, message, duration_ns, profile) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        job,
        run.step,
        run.outcome,
        run.message,
        run.duration_ns,
        run.profile);
}

std::vector<ProfiledStep> list_profiled_steps(Database& db, JobId job) {
    return db.all<ProfiledStep>(
        "SELECT step, outcome, message, duration_ns, profile FROM profiled_step "
        "WHERE job_id = ?1 ORDER BY step",
        job);
}

void remove_profiled_steps(Database& db, JobId job) {
    db.execute("DELETE FROM profiled_step WHERE job_id = ?1", job);
}

}  // namespace vigil::service
