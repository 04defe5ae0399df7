#include <optional>

#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"

namespace vigil::service {

http::Response list_projects(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Page page = parse_page(request);
    auto rows = db.query(
        "SELECT project.id, project.name, project.created_at_s, nightly.id, nightly.version,"
        " nightly.day, nightly.state, nightly.name FROM project"
        " LEFT JOIN nightly ON nightly.id ="
        "  (SELECT max(id) FROM night WHERE project_id = project.id)"
        " WHERE project.id < ?1 ORDER BY project.id DESC LIMIT ?2",
        page.before_id,
        page.limit + 1);
    auto items = nlohmann::json::array();
    while (rows.next()) {
        const auto name = rows.get<std::string>(1);
        nlohmann::json newest;
        if (const auto nightly = rows.get<std::optional<std::int64_t>>(3)) {
            newest = {
                {"id", *nightly},
                {"version", rows.get<std::string>(4)},
                {"day", rows.get<std::string>(5)},
                {"state", rows.get<std::string>(6)},
                {"name", rows.get<std::string>(7)}};
        }
        const auto configured = context.config.projects.find(name);
        const bool watched = configured != context.config.projects.end();
        nlohmann::json schedule;
        if (watched && configured->second.schedule) {
            schedule = {
                {"cron", configured->second.schedule->cron},
                {"time_zone", configured->second.schedule->time_zone}};
        }
        items.push_back(
            {{"id", rows.get<std::int64_t>(0)},
             {"name", name},
             {"created_at_s", rows.get<std::int64_t>(2)},
             {"watched", watched},
             {"schedule", schedule},
             {"newest_nightly", newest}});
    }
    return page_response(std::move(items), page);
}

}  // namespace vigil::service
