#include <optional>

#include <nlohmann/json.hpp>

#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"

namespace vigil::service {

http::Response list_events(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Page page =
        parse_page(request, {"project", "kind", "subject", "after", "since_s", "until_s"});
    const Filters filters(request, db, context.config);
    auto rows = db.query(
        "SELECT event.id, event.at_s, event.kind, project.name, event.subject, event.message,"
        " event.data FROM event LEFT JOIN project ON project.id = event.project_id"
        " WHERE event.id < ?1 AND (?2 IS NULL OR project.name = ?2)"
        " AND (?3 IS NULL OR event.kind = ?3) AND (?4 IS NULL OR event.subject = ?4)"
        " AND (?5 IS NULL OR event.id > ?5) AND (?6 IS NULL OR event.at_s >= ?6)"
        " AND (?7 IS NULL OR event.at_s < ?7) ORDER BY event.id DESC LIMIT ?8",
        page.before_id,
        filters.project(),
        filters.event_kind(),
        filters.subject(),
        number_filter(request, "after"),
        filters.since_s(),
        filters.until_s(),
        page.limit + 1);
    auto items = nlohmann::json::array();
    while (rows.next()) {
        items.push_back(
            {{"id", rows.get<std::int64_t>(0)},
             {"at_s", rows.get<std::int64_t>(1)},
             {"kind", rows.get<std::string>(2)},
             {"project", or_null(rows.get<std::optional<std::string>>(3))},
             {"subject", rows.get<std::string>(4)},
             {"message", rows.get<std::string>(5)},
             {"data", stored_json(rows.get<std::string>(6))}});
    }
    return page_response(std::move(items), page);
}

}  // namespace vigil::service
