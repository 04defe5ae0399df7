#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/schedule/worker_state.hpp"
#include "service/store/work/jobs.hpp"
#include "service/store/workers.hpp"

namespace vigil::service {

// A lease's term is counted in steady time; people read the time of day.
void tell_time_of_day(nlohmann::json& job, Database&, const HandlerContext& context) {
    auto& expires_at_s = job.at("lease_expires_at_s");
    if (expires_at_s.is_null()) return;
    expires_at_s = expires_at_s.get<std::int64_t>() + context.now_s - context.steady_s;
}

http::Response post_job_cancel(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const JobId id{id_parameter(request)};
    cancel_job(db, id, context.now_s);
    return object_response({{"id", id.value}, {"state", to_string(load_job(db, id).state)}});
}

void add_unseen(nlohmann::json& worker, Database&, const HandlerContext& context) {
    const auto last_seen_at_s = worker.at("last_seen_at_s").get<std::int64_t>();
    worker["unseen_s"] = or_null(unseen_s(last_seen_at_s, context.config.jobs, context.now_s));
}

http::Response post_worker_release(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto& name = request.parameters.at("name");
    release_worker(db, name, context.now_s);
    const nlohmann::json reply = {{"name", name}, {"state", "active"}};
    return object_response(reply);
}

}  // namespace vigil::service
