#include <optional>

#include <nlohmann/json.hpp>

#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"

namespace vigil::service {

http::Response list_troubles_route(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Page page = parse_page(request, {"project", "kind", "state", "since_s", "until_s"});
    const Filters filters(request, db, context.config);
    const auto state = filters.one_of("state", {"open", "ended"});
    auto rows = db.query(
        "SELECT trouble.id, trouble.kind, trouble.subject, project.name, trouble.message,"
        " trouble.since_s, trouble.seen_s, trouble.ended_s FROM trouble"
        " LEFT JOIN project ON project.id = trouble.project_id"
        " WHERE trouble.id < ?1 AND (?2 IS NULL OR project.name = ?2)"
        " AND (?3 IS NULL OR trouble.kind = ?3)"
        " AND (?4 IS NULL OR (trouble.ended_s IS NULL) = (?4 = 'open'))"
        " AND (?5 IS NULL OR trouble.since_s >= ?5) AND (?6 IS NULL OR trouble.since_s < ?6)"
        " ORDER BY trouble.id DESC LIMIT ?7",
        page.before_id,
        filters.project(),
        filters.trouble_kind(),
        state,
        filters.since_s(),
        filters.until_s(),
        page.limit + 1);
    auto items = nlohmann::json::array();
    while (rows.next()) {
        const auto ended_s = rows.get<std::optional<std::int64_t>>(7);
        items.push_back(
            {{"id", rows.get<std::int64_t>(0)},
             {"kind", rows.get<std::string>(1)},
             {"subject", rows.get<std::string>(2)},
             {"project", or_null(rows.get<std::optional<std::string>>(3))},
             {"message", rows.get<std::string>(4)},
             {"state", ended_s ? "ended" : "open"},
             {"since_s", rows.get<std::int64_t>(5)},
             {"seen_s", rows.get<std::int64_t>(6)},
             {"ended_s", or_null(ended_s)}});
    }
    return page_response(std::move(items), page);
}

}  // namespace vigil::service
