#include "service/fleet/fleet_rows.hpp"

#include <algorithm>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/digest.hpp"
#include "service/fleet/worker_places.hpp"
#include "service/schedule/build_jobs.hpp"
#include "service/schedule/day_budget.hpp"
#include "service/schedule/leases.hpp"
#include "service/schedule/worker_state.hpp"
#include "service/store/ids.hpp"
#include "service/store/tokens.hpp"
#include "service/store/troubles.hpp"
#include "service/store/work/class_builds.hpp"
#include "service/store/workers.hpp"

namespace vigil::service {

namespace {

constexpr int id_bytes = 8;
constexpr std::int64_t token_margin_s = 600;  // beyond the time limit, to send the last result
constexpr std::int64_t useless_for_s = 3600;  // that is not held: it may be fit again
constexpr std::size_t max_reason_bytes = 200;
constexpr const char* blocked = "fleet.blocked";

std::string worker_of(const Allocation& allocation) {
    return fleet_worker(allocation.machine_class, allocation.machine);
}

/// The next allocation on the same machine may have begun before the end of this one was seen.
bool has_successor(const std::vector<Allocation>& open, const Allocation& gone) {
    return std::any_of(open.begin(), open.end(), [&](const Allocation& other) {
        return other.id != gone.id && other.state == AllocationState::running &&
               worker_of(other) == worker_of(gone);
    });
}

void take_machine(
    Database& db,
    const Config& config,
    const Allocation& allocation,
    const std::string& why,
    LeaseLoss loss,
    std::int64_t now_s) {
    if (allocation.machine.empty() || has_successor(list_open_allocations(db), allocation)) return;
    const auto name = worker_of(allocation);
    if (has_live_token(db, name)) revoke_token(db, name, now_s);
    note_left(db, name);
    if (const auto worker = find_worker(db, name)) {
        take_back_leases(db, config.jobs, *worker, why, loss, now_s);
    }
}

std::string end_words(const FleetEnd& ended) {
    auto words = "its allocation was " + std::string(to_string(ended.end));
    if (!ended.reason.empty()) words += ": " + ended.reason;
    return words;
}

std::string told_reason(const Config& config, const FleetEnd& ended) {
    if (ended.end != AllocationEnd::failed || !config.fleet) return ended.reason;
    const auto log = WorkerPlaces(config.fleet->folder).log(ended.allocation.name).string();
    return ended.reason + (ended.reason.empty() ? "" : "; ") + "its log is " + log;
}

void tell_blocked(Database& db, const FleetDecision& decision, std::int64_t now_s) {
    std::set<std::string> subjects;
    for (const auto& [name, why] : decision.blocked) {
        const auto subject = "class/" + name;
        subjects.insert(subject);
        const Trouble trouble{
            .kind = blocked,
            .subject = subject,
            .project = {},
            .message = "jobs of machine class " + name +
                       " wait, and Slurm is asked for no machine: " + why};
        note_trouble(db, trouble, now_s);
    }
    for (const auto& open : list_troubles(db, blocked)) {
        if (!subjects.contains(open.subject)) end_trouble(db, blocked, open.subject, now_s);
    }
}

// No machine is worth asking for where the only work for it waits for the next day.
void leave_out_spent(Database& db, const SpentBudgets& spent, FleetView& view) {
    for (const auto& [project, budget] : spent) {
        const int waits = highest_held_back(budget);
        for (const auto& queue : list_project_queue(db, project, waits)) {
            const auto found = view.classes.find(queue.machine_class);
            if (found != view.classes.end()) found->second.jobs -= queue.jobs;
        }
    }
}

void read_useless(Database& db, const std::string& name, FleetClass& one, std::int64_t now_s) {
    for (const auto& worker : list_useless_workers(db, name, now_s - useless_for_s)) {
        if (auto node = find_node(name, worker)) one.useless_nodes.insert(std::move(*node));
    }
}

std::vector<FleetDrain> list_drains(Database& db, const FleetConfig& fleet) {
    std::vector<FleetDrain> drains;
    for (const auto& [name, limits] : fleet.machine_classes) {
        const auto id = find_machine_class(db, name);
        if (!id || !limits.drain_differing) continue;
        for (auto& one : list_differing(db, *id)) {
            const auto node = find_node(name, one.name);
            if (node && one.is_held && !one.drain_answered_at_s) drains.push_back({one, *node});
        }
    }
    return drains;
}

// Nor where it waits for what another class builds.
void leave_out_unbuilt(Database& db, const Config& config, FleetView& view) {
    for (auto& [name, one] : view.classes) {
        const auto builds = build_class_of(config, name);
        const auto measuring = find_machine_class(db, name);
        const auto building = find_machine_class(db, builds);
        if (builds.empty() || !measuring || !building) continue;
        one.jobs -= count_waiting_for_builds(db, *measuring, *building);
        one.jobs = std::max(one.jobs, 0);  // what waits for the next day may wait for a build, too
    }
}

}  // namespace

FleetView read_fleet(Database& db, const Config& config, std::int64_t now_s) {
    FleetView view;
    view.now_s = now_s;
    view.allocations = list_open_allocations(db);
    for (const auto& allocation : view.allocations) {
        const auto worker = worker_of(allocation);
        if (was_seen_after(db, worker, now_s - config.jobs.lease_ttl_s)) {
            view.live_workers.insert(worker);
        }
        if (allocation.started_at_s && has_left_since(db, worker, *allocation.started_at_s)) {
            view.left_workers.insert(worker);
        }
    }
    if (!config.fleet) return view;
    view.name = config.fleet->name;
    view.drains = list_drains(db, *config.fleet);
    const auto spent = list_spent_budgets(db, config, now_s);
    auto wanted = list_wanted_workers(db);
    std::erase_if(wanted, [&](const WantedWorker& one) {
        return waits_for_tomorrow(spent, one.project, one.priority);
    });
    for (const auto& [name, limits] : config.fleet->machine_classes) {
        auto& one = view.classes[name];
        one.limits = limits;
        one.past = load_allocation_past(db, name, now_s);
        read_useless(db, name, one, now_s);
        for (const auto& wish : wanted) {
            auto node = find_node(name, wish.worker);
            if (node && !one.useless_nodes.contains(*node)) one.wanted_nodes.insert(*node);
        }
    }
    for (const auto& one : list_excepted_workers(db)) {
        const auto found = view.classes.find(one.machine_class);
        if (found == view.classes.end()) continue;
        if (waits_for_tomorrow(spent, one.project, one.priority)) continue;
        found->second.not_enough.insert(one.worker);
    }
    for (const auto& queue : list_class_queues(db, seen_after_s(config.jobs, now_s))) {
        const auto found = view.classes.find(queue.machine_class);
        if (found == view.classes.end()) continue;
        found->second.jobs = queue.jobs;
        found->second.own_workers = queue.own_workers;
    }
    leave_out_spent(db, spent, view);
    leave_out_unbuilt(db, config, view);
    return view;
}

bool is_at_rest(const FleetView& view) {
    return view.allocations.empty() && view.drains.empty() &&
           std::none_of(view.classes.begin(), view.classes.end(), [](const auto& one) {
               return one.second.jobs > 0 || !one.second.wanted_nodes.empty();
           });
}

std::vector<Allocation> write_decision(
    Database& db, const Config& config, const FleetDecision& decision, std::int64_t now_s) {
    for (const auto& gone : decision.requeued) {
        take_machine(db, config, gone, "its node was taken: requeued", LeaseLoss::forgiven, now_s);
    }
    for (const auto& move : decision.moves) move_allocation(db, move, now_s);
    for (const auto& ended : decision.ends) {
        end_allocation(db, ended.allocation, ended.end, told_reason(config, ended), now_s);
        const auto loss = is_taken_away(ended.end) ? LeaseLoss::forgiven : LeaseLoss::counted;
        take_machine(db, config, ended.allocation, end_words(ended), loss, now_s);
    }
    std::vector<Allocation> added;
    for (const auto& request : decision.requests) {
        Allocation allocation;
        allocation.machine_class = request.machine_class;
        allocation.name = config.fleet.value().name + "-" + request.machine_class + "-" +
                          wire::random_hex(id_bytes);
        allocation.machine = request.node;
        allocation.created_at_s = now_s;
        allocation.id =
            add_allocation(db, request.machine_class, allocation.name, request.node, now_s);
        added.push_back(std::move(allocation));
    }
    for (const auto& drain : decision.drains) {
        if (!drain.worker.drain_planned_at_s) plan_drain(db, drain.worker.worker, now_s);
    }
    tell_blocked(db, decision, now_s);
    return added;
}

std::vector<std::string> list_revoked(const FleetDecision& decision) {
    std::vector<std::string> workers;
    for (const auto& gone : decision.requeued) workers.push_back(worker_of(gone));
    for (const auto& ended : decision.ends) workers.push_back(worker_of(ended.allocation));
    return workers;
}

std::string give_token(
    Database& db, const FleetStart& start, const FleetClassConfig& limits, std::int64_t now_s) {
    const auto name = fleet_worker(start.allocation.machine_class, start.node);
    if (has_live_token(db, name)) revoke_token(db, name, now_s);
    return create_token(
        db, name, Scope::worker, now_s, now_s + limits.time_limit_s + token_margin_s);
}

void note_started(Database& db, const FleetStart& start, std::int64_t now_s) {
    const auto& allocation = start.allocation;
    const auto to = AllocationState::running;
    move_allocation(db, {allocation.id, allocation.state, to, start.job, start.node, ""}, now_s);
}

void note_reply(
    Database& db, const Allocation& allocation, const ClusterReply& reply, std::int64_t now_s) {
    if (reply.refusal) {
        return end_allocation(db, allocation, AllocationEnd::refused, *reply.refusal, now_s);
    }
    if (!reply.job) return;  // the next look at the cluster finds it by its name
    const auto to = AllocationState::pending;
    move_allocation(
        db, {allocation.id, allocation.state, to, reply.job, allocation.machine, ""}, now_s);
}

std::string drain_reason(const FleetDrain& drain) {
    auto words = "vigil: " + drain.worker.words;
    std::erase_if(words, [](char c) { return c == '\'' || c == '"'; });
    return text::one_line(words.substr(0, words.find(';')), max_reason_bytes);
}

void note_drained(
    Database& db,
    const FleetDrain& drain,
    const std::optional<std::string>& refusal,
    std::int64_t now_s) {
    const auto words = refusal ? "Slurm did not drain it (" + *refusal +
                                     "): scontrol update NodeName=" + drain.node +
                                     " State=DRAIN Reason='" + drain_reason(drain) + "'"
                               : "Slurm has drained " + drain.node;
    note_drain(db, drain.worker, drain.worker.words + "; " + words, now_s);
}

void note_cluster(Database& db, const std::optional<std::string>& why, std::int64_t now_s) {
    const Trouble trouble{
        .kind = "fleet.unreachable",
        .subject = "fleet",
        .project = {},
        .message = "Slurm gives no answer: " + why.value_or("") +
                   "; what runs goes on, and no machine is requested"};
    set_trouble(db, trouble, why.has_value(), now_s);
}

}  // namespace vigil::service
