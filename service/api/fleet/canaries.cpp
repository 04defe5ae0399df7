#include <optional>

#include <nlohmann/json.hpp>

#include "schema/model/canary.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"

namespace vigil::service {

namespace {

nlohmann::json number_or_null(const std::optional<double>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
}

nlohmann::json canary_json(const Query& row) {
    return {
        {"id", row.get<std::int64_t>(0)},
        {"project", row.get<std::string>(1)},
        {"nightly", row.get<std::int64_t>(2)},
        {"worker", row.get<std::string>(3)},
        {"machine_class", row.get<std::string>(4)},
        {"state", row.get<std::string>(5)},
        {"job", or_null(row.get<std::optional<std::int64_t>>(6))},
        {"series", or_null(row.get<std::optional<std::int64_t>>(7))},
        {"value", number_or_null(row.get<std::optional<double>>(8))},
        {"base", number_or_null(row.get<std::optional<double>>(9))},
        {"moved_ratio", number_or_null(row.get<std::optional<double>>(10))},
        {"message", row.get<std::string>(11)},
        {"created_at_s", row.get<std::int64_t>(12)},
        {"ended_at_s", or_null(row.get<std::optional<std::int64_t>>(13))}};
}

}  // namespace

http::Response list_canaries(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Page page =
        parse_page(request, {"project", "nightly", "worker", "state", "since_s", "until_s"});
    const Filters filters(request, db, context.config);
    auto rows = db.query(
        "SELECT k.id, project.name, k.nightly_id, worker.name, machine_class.name, k.state,"
        " k.job_id, k.series_id, k.value, k.base, k.moved_ratio, k.message, k.created_at_s,"
        " k.ended_at_s FROM canary_check k JOIN nightly ON nightly.id = k.nightly_id"
        " JOIN project ON project.id = nightly.project_id"
        " JOIN worker ON worker.id = k.worker_id"
        " JOIN machine_class ON machine_class.id = worker.machine_class_id"
        " WHERE k.id < ?1 AND (?2 IS NULL OR project.name = ?2)"
        " AND (?3 IS NULL OR k.nightly_id = ?3) AND (?4 IS NULL OR worker.name = ?4)"
        " AND (?5 IS NULL OR k.state = ?5) AND (?6 IS NULL OR k.created_at_s >= ?6)"
        " AND (?7 IS NULL OR k.created_at_s < ?7) ORDER BY k.id DESC LIMIT ?8",
        page.before_id,
        filters.project(),
        filters.nightly(),
        filters.worker(),
        enum_filter<CanaryState>(request, "state"),
        filters.since_s(),
        filters.until_s(),
        page.limit + 1);
    auto items = nlohmann::json::array();
    while (rows.next()) items.push_back(canary_json(rows));
    return page_response(std::move(items), page);
}

}  // namespace vigil::service
