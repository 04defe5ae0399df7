#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

void add_config(nlohmann::json& project, Database&, const HandlerContext& context) {
    const auto configured = context.config.projects.find(project.at("name").get<std::string>());
    const bool watched = configured != context.config.projects.end();
    project["watched"] = watched;
    project["schedule"] = nullptr;
    if (!watched || !configured->second.schedule) return;
    const auto& schedule = *configured->second.schedule;
    project["schedule"] = {{"cron", schedule.cron}, {"time_zone", schedule.time_zone}};
}

}  // namespace

http::Response list_projects(
    const http::Request& request, Database& db, const HandlerContext& context) {
    return list_response(request, db, context, lists::projects, add_config);
}

}  // namespace vigil::service
