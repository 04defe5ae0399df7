#include "service/app/fleet_loop.hpp"

#include <algorithm>
#include <chrono>

#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "service/fleet/worker_places.hpp"

namespace vigil::service {

using boost::asio::awaitable;

namespace {

constexpr auto look_every = std::chrono::seconds(10);
constexpr std::int64_t drained_every_s = 60;
constexpr std::int64_t cleared_every_s = 3600;
constexpr std::int64_t longest_warning_s = 1800;
constexpr int max_waiting_work = 10;

/// What of the cluster fails is tried again at the next look: it shows what is still to be done.
template <class Work>
bool try_it(const char* what, const Work& work) {
    try {
        work();
        return true;
    } catch (const Error& error) {
        log_warn("fleet.failed", {{"what", what}, {"why", error.what()}});
        return false;
    }
}

ClusterRequest request_of(
    const Allocation& allocation,
    const std::set<std::string>& not_nodes,
    const FleetConfig& fleet) {
    const WorkerPlaces places(fleet.folder);
    const auto& limits = fleet.machine_classes.at(allocation.machine_class);
    ClusterRequest request;
    request.name = allocation.name;
    request.script = places.script().string();
    request.arguments = {
        places.place(allocation.name).string(), fleet.worker, std::to_string(limits.idle_s)};
    request.output = places.log(allocation.name).string();
    request.node = allocation.machine;
    request.not_nodes = not_nodes;
    request.with = limits;
    request.warned_s = std::min<std::int64_t>(longest_warning_s, limits.time_limit_s / 2);
    return request;
}

}  // namespace

FleetLoop::FleetLoop(const LoopParts& parts, MakeCluster make_cluster)
    : Loop(parts),
      make_cluster_(std::move(make_cluster)),
      access_(config_.now().fleet.value_or(FleetConfig{})),
      lane_(make_cluster_(access_, stopping_), max_waiting_work) {}

awaitable<void> FleetLoop::run() {
    while (!stopping_) {
        try {
            co_await look();
        } catch (const std::exception&) {
            log_failure("fleet.failed", std::current_exception());
        }
        if (!stopping_) co_await pause_.wait(look_every);
    }
}

awaitable<void> FleetLoop::look() {
    FleetView view;
    const auto now_s = clock_.now_s();
    const Config& config = config_.now();
    co_await writer_.run([&](Database& db) { view = read_fleet(db, config, now_s); });
    if (config.fleet) co_await clear_old(*config.fleet, view);
    if (!config.fleet && view.allocations.empty()) co_return;
    if (looked_ && is_at_rest(view)) {
        const FleetDecision nothing;
        if (blocked_) co_await act(nothing);  // no job waits for what was reported
        co_return;
    }
    co_await choose_cluster(config);
    const auto why = co_await ask_cluster(view);
    if (stopping_) co_return;  // a client that was ended gave no answer
    co_await writer_.run([&](Database& db) { note_cluster(db, why, now_s); });
    auto decision = decide(view);
    if (!decision.look_ups.empty()) {
        co_await lane_.run([&](std::unique_ptr<Cluster>& cluster) {
            for (const auto job : decision.look_ups) {
                try_it("look_up", [&] { view.looked_up[job] = cluster->look_up(job); });
            }
        });
        decision = decide(view);
    }
    looked_ = view.jobs.has_value();
    co_await act(decision);
}

awaitable<void> FleetLoop::clear_old(const FleetConfig& fleet, const FleetView& view) {
    if (view.now_s - cleared_at_s_ < cleared_every_s) co_return;
    cleared_at_s_ = view.now_s;
    std::set<std::string> open;
    for (const auto& one : view.allocations) open.insert(one.name);
    co_await lane_.run([&](std::unique_ptr<Cluster>&) {
        WorkerPlaces(fleet.folder).clear_old(fleet.name, open, view.now_s);
    });
}

// A reload may have named another way to the same Slurm.
awaitable<void> FleetLoop::choose_cluster(const Config& config) {
    if (!config.fleet) co_return;
    const auto& fleet = *config.fleet;
    if (fleet.slurmrestd == access_.slurmrestd &&
        fleet.slurmrestd_token_file == access_.slurmrestd_token_file) {
        co_return;
    }
    access_ = fleet;
    co_await lane_.run(
        [&](std::unique_ptr<Cluster>& cluster) { cluster = make_cluster_(access_, stopping_); });
}

// @return why there is no answer
awaitable<std::optional<std::string>> FleetLoop::ask_cluster(FleetView& view) {
    const bool runs =
        std::any_of(view.allocations.begin(), view.allocations.end(), [](const Allocation& one) {
            return one.state == AllocationState::running;
        });
    const bool looks = runs && view.now_s - drained_at_s_ >= drained_every_s;
    std::optional<std::string> why;
    co_await lane_.run([&](std::unique_ptr<Cluster>& cluster) {
        try {
            view.jobs = cluster->list_jobs();
            if (looks) drained_ = cluster->list_drained();
        } catch (const Error& error) {
            why = error.what();
        }
    });
    if (looks && !why) drained_at_s_ = view.now_s;
    view.drained = drained_;
    co_return why;
}

awaitable<void> FleetLoop::act(const FleetDecision& decision) {
    const Config& config = config_.now();
    const auto now_s = clock_.now_s();
    blocked_ = !decision.blocked.empty();
    std::vector<Allocation> added;
    co_await writer_.run(
        [&](Database& db) { added = write_decision(db, config, decision, now_s); });
    for (const auto& worker : list_revoked(decision)) on_revoked(worker);
    if (!decision.ends.empty() || !decision.requeued.empty()) on_moved();
    co_await lane_.run([&](std::unique_ptr<Cluster>& cluster) {
        for (const auto job : decision.cancels) try_it("cancel", [&] { cluster->cancel(job); });
        for (const auto job : decision.dismissals) {
            try_it("dismiss", [&] { cluster->dismiss(job); });
        }
        if (!config.fleet) return;
        const WorkerPlaces places(config.fleet->folder);
        for (const auto& gone : decision.requeued) places.take(gone.name);
        for (const auto& ended : decision.ends) {
            places.take(ended.allocation.name);
            if (!ends_again(ended.end)) places.clear(ended.allocation.name);
        }
    });
    if (!config.fleet) co_return;
    for (const auto& one : decision.starts) co_await start(*config.fleet, one);
    for (std::size_t i = 0; i < added.size(); ++i) {
        if (stopping_) break;
        co_await request(*config.fleet, added[i], decision.requests[i].not_nodes);
    }
    for (const auto& one : decision.drains) {
        if (!stopping_) co_await drain(one);
    }
}

// The token is a row before it is a file. A daemon that ends between the two gives another one.
awaitable<void> FleetLoop::start(const FleetConfig& fleet, FleetStart start) {
    const auto found = fleet.machine_classes.find(start.allocation.machine_class);
    if (found == fleet.machine_classes.end()) co_return;
    const auto worker = fleet_worker(found->first, start.node);
    const auto now_s = clock_.now_s();
    std::string token;
    co_await writer_.run(
        [&](Database& db) { token = give_token(db, start, found->second, now_s); });
    on_revoked(worker);  // an older one of this name
    bool given = false;
    co_await lane_.run([&](std::unique_ptr<Cluster>&) {
        given = try_it("give", [&] {
            const auto settings = read_settings(found->second.worker_file);
            WorkerPlaces(fleet.folder).give(start.allocation.name, settings, worker, token);
        });
    });
    if (!given) co_return;
    co_await writer_.run([&](Database& db) { note_started(db, start, now_s); });
}

awaitable<void> FleetLoop::request(
    const FleetConfig& fleet, Allocation allocation, std::set<std::string> not_on) {
    if (!fleet.machine_classes.contains(allocation.machine_class)) co_return;
    const auto asked = request_of(allocation, not_on, fleet);
    ClusterReply reply;
    co_await lane_.run([&](std::unique_ptr<Cluster>& cluster) {
        try {
            WorkerPlaces(fleet.folder).prepare(allocation.name);
            reply = cluster->request(asked);
        } catch (const Error& error) {
            reply.refusal = error.what();
        }
    });
    const auto now_s = clock_.now_s();
    co_await writer_.run([&](Database& db) { note_reply(db, allocation, reply, now_s); });
}

// Without an answer it is tried again at the next look: the row says that it was to be asked.
awaitable<void> FleetLoop::drain(FleetDrain one) {
    std::optional<std::string> refusal;
    bool answered = false;
    co_await lane_.run([&](std::unique_ptr<Cluster>& cluster) {
        answered = try_it("drain", [&] { refusal = cluster->drain(one.node, drain_reason(one)); });
    });
    if (!answered) co_return;
    const auto now_s = clock_.now_s();
    co_await writer_.run([&](Database& db) { note_drained(db, one, refusal, now_s); });
}

}  // namespace vigil::service
