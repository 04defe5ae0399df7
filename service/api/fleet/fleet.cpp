#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/api/common/changed_facts.hpp"
#include "service/api/common/handlers.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/schedule/retry_job.hpp"
#include "service/schedule/worker_state.hpp"
#include "service/store/work/jobs.hpp"
#include "service/store/workers.hpp"

namespace vigil::service {

namespace {

/// Of a body that may hold a reason and nothing else.
std::string reason_of(const http::Request& request) {
    if (request.body.empty()) return "";
    const auto body = wire::parse_json(request.body, "the body");
    wire::ObjectReader reader(body, "body");
    auto reason = reader.text_or("reason", "", max_reason_bytes);
    reader.done();
    return reason;
}

}  // namespace

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

http::Response post_job_retry(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto again = retry_job(db, JobId{id_parameter(request)}, context.now_s);
    auto response = object_response({{"job", again.value}}, 202);
    response.headers["location"] = "/api/v1/jobs/" + to_string(again);
    return response;
}

void add_unseen(nlohmann::json& worker, Database&, const HandlerContext& context) {
    auto& unseen = worker["unseen_s"];
    // Nobody waits for one that took its leave or stands for machines elsewhere.
    const auto name = worker.at("name").get<std::string>();
    if (worker.at("state") == "draining" && !context.config.workers.contains(name)) return;
    const auto last_seen_at_s = worker.at("last_seen_at_s").get<std::int64_t>();
    unseen = or_null(unseen_s(last_seen_at_s, context.config.jobs, context.now_s));
}

void tell_changed(nlohmann::json& environment, Database&, const HandlerContext&) {
    const auto& before = environment.at("before");
    environment["changed"] =
        before.is_null() ? nlohmann::json::array() : changed_facts(before, environment.at("facts"));
    environment.erase("before");
}

http::Response post_worker_quarantine(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto& name = request.parameters.at("name");
    const auto reason = reason_of(request);
    if (is_blank(reason)) {
        throw Error(
            Errc::invalid_argument,
            "body.reason is missing: say why " + name + " is to do no jobs");
    }
    const auto worker = find_worker(db, name);
    if (!worker) throw Error(Errc::not_found, "there is no worker '" + name + "'");
    hold_worker(db, *worker, request.caller->name + ": " + reason, context.now_s);
    return object_response({{"name", name}, {"state", "quarantined"}});
}

http::Response post_worker_release(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto& name = request.parameters.at("name");
    reason_of(request);  // for the audit log
    release_worker(db, name, context.now_s);
    return object_response({{"name", name}, {"state", "active"}});
}

}  // namespace vigil::service
