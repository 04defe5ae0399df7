#include "service/api/fleet/queue.hpp"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/api/common/handlers.hpp"
#include "service/schedule/build_jobs.hpp"
#include "service/schedule/day_budget.hpp"
#include "service/store/machines/allocations.hpp"
#include "service/watch/health_checks.hpp"

namespace vigil::service {

namespace {

constexpr int most_groups = 200;
constexpr int most_workers = 500;

bool is_of_cluster(const Config& config, const std::string& machine_class) {
    return config.fleet && config.fleet->machine_classes.contains(machine_class);
}

/// What is known of the machines that a cluster was asked for: of the oldest, and how many more.
std::string cluster_words(Database& db, const std::string& machine_class) {
    std::string words;
    int more = 0;
    for (const auto& one : list_open_allocations(db)) {
        if (one.machine_class != machine_class) continue;
        if (!words.empty()) {
            ++more;
            continue;
        }
        words = one.name + " is " + std::string(to_string(one.state));
        if (!one.reason.empty()) words += ": " + one.reason;
    }
    if (words.empty()) return "no machine of the cluster is requested yet";
    return more == 0 ? words : words + "; and " + std::to_string(more) + " more";
}

/// Whether jobs of a project wait for what another class is building.
bool wait_for_builds(
    const std::vector<QueueGroup>& groups, const Config& config, const QueueGroup& waiting) {
    const auto builds = build_class_of(config, waiting.machine_class);
    return !builds.empty() && std::ranges::any_of(groups, [&](const QueueGroup& group) {
        return group.machine_class == builds && group.project == waiting.project &&
               group.state != JobState::parked;
    });
}

/// Why the jobs of a class wait.
std::string why_they_wait(Database& db, const QueueGroup& group, const HandlerContext& context) {
    const auto seen_since_s = context.now_s - hearing_s(context.config.jobs);
    const auto workers = list_class_workers(db, group.class_id, most_workers);
    if (const auto why = why_nobody(workers, seen_since_s)) {
        const bool comes = is_of_cluster(context.config, group.machine_class);
        return "nobody does them: " + (comes ? cluster_words(db, group.machine_class) : *why);
    }
    const auto useless = why_nobody_builds(db, context.config, group.machine_class, workers);
    if (useless) return *useless;
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
    const auto spent = list_spent_budgets(db, context.config, context.now_s);
    auto groups = list_queue(db, most_groups);
    for (auto& group : groups) {
        if (group.state != JobState::queued) continue;
        if (waits_for_tomorrow(spent, group.project_id, group.priority)) {
            group.message = spent_words(spent.at(group.project_id), context.now_s);
            continue;
        }
        if (wait_for_builds(groups, context.config, group)) {
            group.message = "builds are made first, on machine class " +
                            build_class_of(context.config, group.machine_class);
            continue;
        }
        const auto [at, is_new] = reasons.try_emplace(group.class_id);
        if (is_new) at->second = why_they_wait(db, group, context);
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
