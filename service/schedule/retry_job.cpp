#include "service/schedule/retry_job.hpp"

#include <string>

#include "schema/model/error.hpp"
#include "service/schedule/job_rules.hpp"
#include "service/store/work/jobs.hpp"
#include "service/store/work/night_jobs.hpp"

namespace vigil::service {

JobId retry_job(Database& db, JobId id, std::int64_t now_s) {
    const auto job = load_job(db, id);
    const auto refuse = [&](const std::string& why) {
        throw Error(Errc::conflict, "job " + to_string(id) + why);
    };
    if (!is_over(job.state) || job.state == JobState::done) {
        refuse(" is " + std::string(to_string(job.state)) + "; what failed is tried again");
    }
    const auto measured = find_measured_night(db, id);
    if (job.purpose != Purpose::nightly || !measured) {
        refuse(
            job.purpose == Purpose::nightly
                ? ": its night is no longer measured; ask for runs (POST /api/v1/runs)"
                : " is part of a session or a search, which has gone on without it");
    }
    NewJob again;
    again.project = job.project;
    again.machine_class = job.machine_class;
    again.purpose = job.purpose;
    again.priority = static_cast<Priority>(measured->priority);
    again.nightly = measured->nightly;
    again.builds = list_job_builds(db, id);
    again.plan = load_plan(db, id);
    const auto added = add_job(db, again, now_s);
    record_job(db, job, "job.retried", "again as job " + to_string(added), now_s);
    return added;
}

}  // namespace vigil::service
