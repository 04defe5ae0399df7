#include "service/store/workers.hpp"

#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

void add_unseen(nlohmann::json& worker, Database&, const HandlerContext& context) {
    const auto last_seen_at_s = worker.at("last_seen_at_s").get<std::int64_t>();
    worker["unseen_s"] = or_null(unseen_s(last_seen_at_s, context.config.jobs, context.now_s));
}

}  // namespace

http::Response list_workers_route(
    const http::Request& request, Database& db, const HandlerContext& context) {
    return list_response(request, db, context, lists::workers, add_unseen);
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
