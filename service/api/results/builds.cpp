#include <optional>

#include <nlohmann/json.hpp>

#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"

namespace vigil::service {

namespace {

constexpr const char* select_build =
    "SELECT build.id, project.name, build.revision, build.input_kind, build.input_digest,"
    " build.input_error, build.created_at_s"
    " FROM build JOIN project ON project.id = build.project_id";

nlohmann::json build_json(const Query& row) {
    return {
        {"id", row.get<std::int64_t>(0)},
        {"project", row.get<std::string>(1)},
        {"revision", row.get<std::string>(2)},
        {"input_kind", row.get<std::string>(3)},
        {"input_digest", or_null(row.get<std::optional<std::string>>(4))},
        {"input_error", row.get<std::string>(5)},
        {"created_at_s", row.get<std::int64_t>(6)}};
}

nlohmann::json products_of(Database& db, std::int64_t build) {
    auto products = nlohmann::json::array();
    auto rows = db.query(
        "SELECT id, recipe_digest, toolchain, state, failures, digest, log_digest, message,"
        " duration_ns, created_at_s FROM product WHERE build_id = ?1 ORDER BY id DESC LIMIT ?2",
        build,
        max_page_size);
    while (rows.next()) {
        products.push_back(
            {{"id", rows.get<std::int64_t>(0)},
             {"recipe_digest", rows.get<std::string>(1)},
             {"toolchain", rows.get<std::string>(2)},
             {"state", rows.get<std::string>(3)},
             {"failures", rows.get<std::int64_t>(4)},
             {"digest", or_null(rows.get<std::optional<std::string>>(5))},
             {"log", or_null(rows.get<std::optional<std::string>>(6))},
             {"message", rows.get<std::string>(7)},
             {"duration_ns", rows.get<std::int64_t>(8)},
             {"created_at_s", rows.get<std::int64_t>(9)}});
    }
    return products;
}

}  // namespace

http::Response list_builds(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Page page = parse_page(request, {"project", "revision", "since_s", "until_s"});
    const Filters filters(request, db, context.config);
    auto rows = db.query(
        std::string(select_build) +
            " WHERE build.id < ?1 AND (?2 IS NULL OR project.name = ?2)"
            " AND (?3 IS NULL OR build.revision = ?3)"
            " AND (?4 IS NULL OR build.created_at_s >= ?4)"
            " AND (?5 IS NULL OR build.created_at_s < ?5) ORDER BY build.id DESC LIMIT ?6",
        page.before_id,
        filters.project(),
        filters.revision(),
        filters.since_s(),
        filters.until_s(),
        page.limit + 1);
    auto items = nlohmann::json::array();
    while (rows.next()) items.push_back(build_json(rows));
    return page_response(std::move(items), page);
}

http::Response get_build(const http::Request& request, Database& db, const HandlerContext&) {
    check_query(request, {});
    const Snapshot snapshot(db);
    const auto id = id_parameter(request);
    nlohmann::json build;
    {
        auto rows = db.query(std::string(select_build) + " WHERE build.id = ?1", id);
        if (!rows.next()) throw_missing("build", id);
        build = build_json(rows);
    }
    build["products"] = products_of(db, id);
    return object_response(build);
}

}  // namespace vigil::service
