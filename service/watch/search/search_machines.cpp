#include "service/watch/search/search_machines.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "service/schedule/job_rules.hpp"
#include "service/schedule/worker_state.hpp"
#include "service/store/ids.hpp"
#include "service/store/work/claimers.hpp"

namespace vigil::service {

namespace {

/// @param there  those of its machines that are there
int machines_to_come(const Config& config, const std::string& machine_class, int there) {
    if (!config.fleet) return 0;
    const auto found = config.fleet->machine_classes.find(machine_class);
    if (found == config.fleet->machine_classes.end()) return 0;
    return std::max(0, found->second.max_allocations - there);
}

}  // namespace

std::vector<search::GroupMachines> list_search_machines(
    Database& db, const Config& config, const BisectionRow& bisection, std::int64_t now_s) {
    if (bisection.kind == BisectionKind::nights) return {};
    const auto seen_s = seen_after_s(config.jobs, now_s);
    std::vector<search::GroupMachines> groups;
    for (const auto group : bisection.settings.groups) {
        search::GroupMachines machines;
        int of_fleet = 0;
        for (const auto& worker : list_class_workers(db, group)) {
            if (!worker.is_active() || !is_there(worker, seen_s)) continue;
            machines.there.push_back(worker.name);
            of_fleet += worker.name.find('@') != std::string::npos;
        }
        machines.to_come = machines_to_come(config, load_machine_class_name(db, group), of_fleet);
        groups.push_back(std::move(machines));
    }
    return groups;
}

}  // namespace vigil::service
