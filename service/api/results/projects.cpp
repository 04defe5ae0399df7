#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"

namespace vigil::service {

void add_config(nlohmann::json& project, Database&, const HandlerContext& context) {
    const auto configured = context.config.projects.find(project.at("name").get<std::string>());
    const bool watched = configured != context.config.projects.end();
    project["watched"] = watched;
    project["schedule"] = nullptr;
    if (!watched || !configured->second.schedule) return;
    const auto& schedule = *configured->second.schedule;
    project["schedule"] = {{"cron", schedule.cron}, {"time_zone", schedule.time_zone}};
}

}  // namespace vigil::service
