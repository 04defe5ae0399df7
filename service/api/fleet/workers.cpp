#include "service/store/workers.hpp"

#include <optional>

#include <nlohmann/json.hpp>

#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"

namespace vigil::service {

http::Response list_workers_route(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Page page = parse_page(request, {"machine_class", "state"});
    const Filters filters(request, db, context.config);
    const auto state = filters.one_of("state", {"active", "draining", "quarantined"});
    auto rows = db.query(
        "SELECT worker.id, worker.name, machine_class.name, worker.state, worker.reason,"
        " worker.fingerprint, worker.toolchain, worker.first_seen_at_s, worker.last_seen_at_s,"
        " (SELECT max(job.id) FROM job WHERE job.worker_id = worker.id AND job.state = 'leased'),"
        " worker.containment"
        " FROM worker JOIN machine_class ON machine_class.id = worker.machine_class_id"
        " WHERE worker.id < ?1 AND (?2 IS NULL OR machine_class.name = ?2)"
        " AND (?3 IS NULL OR worker.state = ?3) ORDER BY worker.id DESC LIMIT ?4",
        page.before_id,
        filters.machine_class(),
        state,
        page.limit + 1);
    auto items = nlohmann::json::array();
    while (rows.next()) {
        items.push_back(
            {{"id", rows.get<std::int64_t>(0)},
             {"name", rows.get<std::string>(1)},
             {"machine_class", rows.get<std::string>(2)},
             {"state", rows.get<std::string>(3)},
             {"reason", rows.get<std::string>(4)},
             {"fingerprint", stored_json(rows.get<std::string>(5))},
             {"toolchain", rows.get<std::string>(6)},
             {"first_seen_at_s", rows.get<std::int64_t>(7)},
             {"last_seen_at_s", rows.get<std::int64_t>(8)},
             {"unseen_s",
              or_null(unseen_s(rows.get<std::int64_t>(8), context.config.jobs, context.now_s))},
             {"job", or_null(rows.get<std::optional<std::int64_t>>(9))},
             {"containment", stored_json(rows.get<std::string>(10))}});
    }
    return page_response(std::move(items), page);
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
