#include <optional>

#include <nlohmann/json.hpp>

#include "schema/model/storm.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"

namespace vigil::service {

namespace {

nlohmann::json storm_json(const Query& row) {
    return {
        {"id", row.get<std::int64_t>(0)},
        {"project", row.get<std::string>(1)},
        {"nightly", row.get<std::int64_t>(2)},
        {"worker", row.get<std::string>(3)},
        {"state", row.get<std::string>(4)},
        {"series", row.get<std::int64_t>(5)},
        {"suspicious", row.get<std::int64_t>(6)},
        {"moved_ratio", row.get<double>(7)},
        {"rebased", row.get<std::int64_t>(8)},
        {"message", row.get<std::string>(9)},
        {"created_at_s", row.get<std::int64_t>(10)},
        {"ended_at_s", or_null(row.get<std::optional<std::int64_t>>(11))}};
}

}  // namespace

http::Response list_storms(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Page page =
        parse_page(request, {"project", "nightly", "worker", "state", "since_s", "until_s"});
    const Filters filters(request, db, context.config);
    auto rows = db.query(
        "SELECT storm.id, project.name, storm.nightly_id, worker.name, storm.state, storm.series,"
        " storm.suspicious, storm.moved_ratio, storm.rebased, storm.message, storm.created_at_s,"
        " storm.ended_at_s FROM storm JOIN nightly ON nightly.id = storm.nightly_id"
        " JOIN project ON project.id = nightly.project_id"
        " JOIN worker ON worker.id = storm.worker_id"
        " WHERE storm.id < ?1 AND (?2 IS NULL OR project.name = ?2)"
        " AND (?3 IS NULL OR storm.nightly_id = ?3) AND (?4 IS NULL OR worker.name = ?4)"
        " AND (?5 IS NULL OR storm.state = ?5) AND (?6 IS NULL OR storm.created_at_s >= ?6)"
        " AND (?7 IS NULL OR storm.created_at_s < ?7) ORDER BY storm.id DESC LIMIT ?8",
        page.before_id,
        filters.project(),
        filters.nightly(),
        filters.worker(),
        enum_filter<StormState>(request, "state"),
        filters.since_s(),
        filters.until_s(),
        page.limit + 1);
    auto items = nlohmann::json::array();
    while (rows.next()) items.push_back(storm_json(rows));
    return page_response(std::move(items), page);
}

}  // namespace vigil::service
