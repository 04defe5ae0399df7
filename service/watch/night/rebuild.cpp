#include "service/watch/night/rebuild.hpp"

#include <string>

#include <nlohmann/json.hpp>

#include "bisect/search/breakage.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/work/night_jobs.hpp"

namespace vigil::service {

int repeat_unbuilt_jobs(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s) {
    if (!has_failures(db, nightly.build)) return 0;
    const auto recipe = wire::digest_of(config.recipe);
    const auto unbuilt =
        list_unbuilt_jobs(db, nightly.id, nightly.build, recipe, search::tries_of_a_build);
    if (unbuilt.empty()) return 0;
    for (const auto& one : unbuilt) {
        NewJob job;
        job.project = nightly.project;
        job.machine_class = one.machine_class;
        job.purpose = Purpose::nightly;
        job.priority = static_cast<Priority>(one.priority);
        job.nightly = nightly.id;
        job.builds = {nightly.build};
        job.plan = wire::parse_job_plan(wire::parse_json(one.plan, "job.plan"));
        add_job(db, job, now_s);
    }
    const auto words = std::to_string(unbuilt.size()) + " jobs begin anew: its build had failed";
    tell_of_nightly(db, nightly, "nightly.again", words, now_s);
    return static_cast<int>(unbuilt.size());
}

}  // namespace vigil::service
