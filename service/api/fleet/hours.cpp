#include "service/api/fleet/hours.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/schedule/day_budget.hpp"
#include "service/store/ids.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::int64_t day_s = 86'400;
constexpr std::int64_t usual_days = 7;
constexpr std::int64_t most_days = 366;

double hours_of(std::int64_t seconds) {
    return static_cast<double>(seconds) / 3600;
}

std::string day_words(std::int64_t day) {
    return text::utc(day * day_s).substr(0, 10);
}

/// What the project may have of today, and has had.
json budget_json(
    Database& db, const HandlerContext& context, const std::string& name, ProjectId project) {
    const auto config = context.config.projects.find(name);
    if (config == context.config.projects.end()) return nullptr;
    const auto budget = load_day_budget(db, config->second, project, context.now_s);
    if (!budget) return nullptr;
    return {
        {"limit_hours", config->second.max_machine_hours_a_day},
        {"today_hours", hours_of(budget->used_s)},
        {"spent", !may_begin(*budget, WorkLevel::nightly)}};
}

}  // namespace

json machine_time_json(const MachineTime& time) {
    return {
        {"machine_class", time.machine_class},
        {"work", to_string(time.work)},
        {"hours", hours_of(time.seconds)},
        {"build_hours", hours_of(time.build_s)}};
}

http::Response get_hours(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {"project", "since", "since_s", "until", "until_s"});
    const Snapshot snapshot(db);
    const Filters filters(request, db, context.config);
    const auto& projects = context.config.projects;
    const auto first = projects.empty() ? std::string() : projects.begin()->first;
    const auto name = filters.project().value_or(first);
    const auto project = find_project(db, name);
    const auto until_day = day_of(filters.until_s().value_or(context.now_s + 1) - 1) + 1;
    const auto since_s = filters.since_s().value_or((until_day - usual_days) * day_s);
    const auto since_day = std::max(day_of(since_s), until_day - most_days);
    auto items = json::array();
    std::int64_t seconds = 0;
    std::int64_t build_s = 0;
    if (project) {
        for (const auto& one : list_day_time(db, *project, since_day, until_day)) {
            auto item = machine_time_json(one.time);
            item["day"] = day_words(one.day);
            items.push_back(std::move(item));
            seconds += one.time.seconds;
            build_s += one.time.build_s;
        }
    }
    return object_response(
        {{"project", name},
         {"since_day", day_words(since_day)},
         {"until_day", day_words(until_day)},
         {"hours", hours_of(seconds)},
         {"build_hours", hours_of(build_s)},
         {"budget", project ? budget_json(db, context, name, *project) : json(nullptr)},
         {"items", std::move(items)}});
}

}  // namespace vigil::service
