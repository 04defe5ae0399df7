#include "service/watch/search/plan_probe.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "service/store/findings/bisections.hpp"
#include "service/store/findings/requests.hpp"
#include "service/store/work/jobs.hpp"
#include "service/store/workers.hpp"

namespace vigil::service {

namespace {

Priority requested_priority(Database& db, BisectionId bisection) {
    const auto way = list_way_in(db, bisection);
    const auto request = find_request_of(db, way.empty() ? bisection : way.back().outer);
    return request ? load_request(db, *request).asked.priority() : Priority::request;
}

}  // namespace

void plan_probe(
    Database& db,
    const BisectionRow& bisection,
    int number,
    const search::ProbeRequest& request,
    std::vector<BuildId> builds,
    JobPlan plan,
    std::int64_t now_s) {
    const bool verify = request.purpose == search::ProbePurpose::verify;
    NewJob job;
    job.probe = add_probe(db, bisection.id, number, request, now_s);
    job.project = bisection.project;
    job.machine_class = bisection.settings.groups.at(static_cast<std::size_t>(request.group));
    job.purpose = verify ? Purpose::verify : Purpose::probe;
    job.priority = bisection.kind == BisectionKind::mending ? Priority::mending
                   : bisection.kind == BisectionKind::asked ? requested_priority(db, bisection.id)
                   : verify                                 ? Priority::verify
                                                            : Priority::probe;
    job.nightly = bisection.nightly;
    if (!request.not_on.empty()) job.except_worker = find_worker(db, request.not_on);
    job.builds = std::move(builds);
    job.plan = std::move(plan);
    add_job(db, job, now_s);
    record_bisection_event(db, bisection.id, "probe", request.why, now_s);
}

}  // namespace vigil::service
