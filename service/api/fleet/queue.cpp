#include "service/api/fleet/queue.hpp"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/api/common/handlers.hpp"
#include "service/watch/health_checks.hpp"

namespace vigil::service {

namespace {

constexpr int most_groups = 200;
constexpr int most_workers = 500;

/// Why the jobs of a class wait.
std::string why_they_wait(
    Database& db, MachineClassId machine_class, const HandlerContext& context) {
    const auto seen_since_s = context.now_s - hearing_s(context.config.jobs);
    const auto workers = list_class_workers(db, machine_class, most_workers);
    if (const auto why = why_nobody(workers, seen_since_s)) return "nobody does them: " + *why;
    const auto here = std::count_if(workers.begin(), workers.end(), [&](const auto& one) {
        return one.is_active() && (one.has_lease || one.last_seen_at_s >= seen_since_s);
    });
    const auto busy = std::count_if(
        workers.begin(), workers.end(), [](const auto& one) { return one.has_lease; });
    if (busy >= here) return "all workers of the class are at work: " + std::to_string(busy);
    return std::to_string(busy) + " of " + text::counted(here, "worker") +
           " of the class at work; the others take what is ready";
}

}  // namespace

std::vector<QueueGroup> load_queue(Database& db, const HandlerContext& context) {
    const Snapshot snapshot(db);
    std::map<MachineClassId, std::string> reasons;
    auto groups = list_queue(db, most_groups);
    for (auto& group : groups) {
        if (group.state != JobState::queued) continue;
        const auto [at, is_new] = reasons.try_emplace(group.class_id);
        if (is_new) at->second = why_they_wait(db, group.class_id, context);
        group.message = at->second;
    }
    return groups;
}

http::Response get_queue(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    auto items = nlohmann::json::array();
    for (const auto& group : load_queue(db, context)) {
        items.push_back(
            {{"state", to_string(group.state)},
             {"purpose", to_string(group.purpose)},
             {"project", group.project},
             {"machine_class", group.machine_class},
             {"jobs", group.jobs},
             {"oldest_at_s", group.oldest_at_s},
             {"why", group.message}});
    }
    return object_response({{"items", std::move(items)}});
}

}  // namespace vigil::service
