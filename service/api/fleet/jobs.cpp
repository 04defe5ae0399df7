#include "service/store/work/jobs.hpp"

#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

// A lease's term is counted in steady time; people read the time of day.
void tell_time_of_day(nlohmann::json& job, Database&, const HandlerContext& context) {
    auto& expires_at_s = job.at("lease_expires_at_s");
    if (expires_at_s.is_null()) return;
    expires_at_s = expires_at_s.get<std::int64_t>() + context.now_s - context.steady_s;
}

}  // namespace

http::Response list_jobs(
    const http::Request& request, Database& db, const HandlerContext& context) {
    return list_response(request, db, context, lists::jobs, tell_time_of_day);
}

http::Response get_job(const http::Request& request, Database& db, const HandlerContext& context) {
    return one_response(request, db, context, lists::jobs, tell_time_of_day);
}

http::Response post_job_cancel(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const JobId id{id_parameter(request)};
    cancel_job(db, id, context.now_s);
    return object_response({{"id", id.value}, {"state", to_string(load_job(db, id).state)}});
}

}  // namespace vigil::service
