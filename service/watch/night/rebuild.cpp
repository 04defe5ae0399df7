#include "service/watch/night/rebuild.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bisect/search/breakage.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/store/events.hpp"
#include "service/store/work/builds.hpp"

namespace vigil::service {

namespace {

struct Unbuilt {
    MachineClassId machine_class;
    std::string plan;
    int priority = 0;
};

// By class and plan: of what ended, no attempt made a run. Workers of one class may differ in
// their toolchains: the class can build it where one of them can.
std::vector<Unbuilt> list_unbuilt(
    Database& db, NightlyId nightly, BuildId build, const Digest& recipe) {
    std::vector<Unbuilt> unbuilt;
    const std::string of_class =
        "FROM product p WHERE p.build_id = ?2 AND p.recipe_digest = ?3 AND EXISTS "
        "(SELECT 1 FROM worker w WHERE w.machine_class_id = j.machine_class_id "
        "AND w.toolchain = p.toolchain AND w.state = 'active')";
    auto rows = db.query(
        "SELECT j.machine_class_id, j.plan, MAX(j.priority) FROM job j WHERE j.nightly_id = ?1 "
        "AND j.purpose = 'nightly' GROUP BY 1, 2 HAVING COUNT(*) <= ?4 AND SUM(j.state = 'done') > "
        "0 AND SUM(EXISTS (SELECT 1 FROM run r WHERE r.job_id = j.id)) = 0 "
        "AND EXISTS (SELECT 1 " +
            of_class + " AND (p.state = 'built' OR p.failures < ?4)) AND EXISTS (SELECT 1 " +
            of_class + " AND p.failures > 0) ORDER BY MIN(j.id)",
        nightly,
        build,
        recipe,
        search::tries_of_a_build);
    while (rows.next()) {
        unbuilt.push_back(
            {rows.get<MachineClassId>(0), rows.get<std::string>(1), rows.get<int>(2)});
    }
    return unbuilt;
}

}  // namespace

int repeat_unbuilt_jobs(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s) {
    const auto build = build_of(db, nightly);
    const auto failed =
        db.find<int>("SELECT 1 FROM product WHERE build_id = ?1 AND failures > 0 LIMIT 1", build);
    if (!failed) return 0;
    const auto unbuilt = list_unbuilt(db, nightly, build, wire::digest_of(config.recipe));
    if (unbuilt.empty()) return 0;
    const auto project =
        *db.find<ProjectId>("SELECT project_id FROM nightly WHERE id = ?1", nightly);
    for (const auto& one : unbuilt) {
        NewJob job;
        job.project = project;
        job.machine_class = one.machine_class;
        job.purpose = Purpose::nightly;
        job.priority = static_cast<Priority>(one.priority);
        job.nightly = nightly;
        job.builds = {build};
        job.plan = wire::parse_job_plan(wire::parse_json(one.plan, "job.plan"));
        add_job(db, job, now_s);
    }
    record_event(
        db,
        now_s,
        "nightly.again",
        project,
        "nightly/" + to_string(nightly),
        std::to_string(unbuilt.size()) + " jobs begin anew: its build had failed");
    return static_cast<int>(unbuilt.size());
}

}  // namespace vigil::service
