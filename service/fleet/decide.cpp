#include "service/fleet/decide.hpp"

#include <algorithm>

#include "service/fleet/cluster_words.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t noted_every_s = 60;  // that the cluster still tells of it
constexpr int max_requests = 20;            // in one round
constexpr int max_look_ups = 10;
constexpr std::size_t id_digits = 16;
constexpr const char* drained_words = "its node is drained; the worker ends after its job";
constexpr const char* useless_words = "its worker gets no jobs, and ends";

std::string end_words(AllocationEnd end, const std::string& reason) {
    auto words = "the last allocation was " + std::string(to_string(end));
    if (!reason.empty()) words += ": " + reason;
    return words + "; the next one is requested a quarter of an hour later";
}

class Decider {
  public:
    explicit Decider(const FleetView& view) : view_(view) {}

    FleetDecision decide() {
        if (!view_.jobs) {
            for (const auto& [name, one] : view_.classes) {
                decision_.blocked[name] = "the cluster's scheduler gives no answer";
            }
            return decision_;
        }
        for (const auto& allocation : view_.allocations) look_at(allocation);
        cancel_strangers();
        decision_.drains = view_.drains;
        for (const auto& [name, one] : view_.classes) {
            keep_wanted(name, one);
            request_for(name, one);
        }
        return std::move(decision_);
    }

  private:
    const ClusterJob* find_job(const Allocation& allocation) const {
        for (const auto& job : *view_.jobs) {
            const bool same = allocation.cluster_job ? job.id == *allocation.cluster_job
                                                     : job.name == allocation.name;
            if (same) return &job;
        }
        if (!allocation.cluster_job) return nullptr;
        const auto found = view_.looked_up.find(*allocation.cluster_job);
        if (found == view_.looked_up.end() || !found->second) return nullptr;
        return &*found->second;
    }

    void look_at(const Allocation& allocation) {
        const auto* job = find_job(allocation);
        if (job == nullptr) return look_at_missing(allocation);
        known_jobs_.insert(job->id);
        if (is_over(job->state)) {
            return end(allocation, end_of(job->state), reason_words(job->reason));
        }
        if (!view_.classes.contains(allocation.machine_class)) {
            decision_.cancels.push_back(job->id);
            return end(
                allocation, AllocationEnd::cancelled, "its class is not in the config any more");
        }
        switch (job->state) {
            case ClusterState::pending: return look_at_pending(allocation, *job);
            case ClusterState::starting:
                return note(
                    allocation, AllocationState::pending, *job, "its node is being started");
            case ClusterState::running: return look_at_running(allocation, *job);
            case ClusterState::suspended:
                // What it measured across the pause is worth nothing.
                decision_.cancels.push_back(job->id);
                return end(allocation, AllocationEnd::preempted, "it was suspended");
            case ClusterState::completing:
                return note(
                    allocation, AllocationState::leaving, *job, "its node is being cleared");
            default: return note(allocation, allocation.state, *job, allocation.reason);
        }
    }

    // No answer about a job is not its end: the cluster forgets what ended some minutes ago.
    void look_at_missing(const Allocation& allocation) {
        if (!allocation.cluster_job) {
            if (view_.now_s - allocation.created_at_s < request_settles_s) return count(allocation);
            return end(allocation, AllocationEnd::lost, "the scheduler never had it");
        }
        const auto job = *allocation.cluster_job;
        if (!view_.looked_up.contains(job)) {
            if (std::ssize(decision_.look_ups) < max_look_ups) decision_.look_ups.push_back(job);
            return count(allocation);
        }
        const auto worker = fleet_worker(allocation.machine_class, allocation.machine);
        if (view_.left_workers.contains(worker))
            return end(allocation, AllocationEnd::finished, "");
        if (view_.live_workers.contains(worker)) return count(allocation);
        end(allocation, AllocationEnd::lost, "the scheduler has forgotten it");
    }

    void look_at_pending(const Allocation& allocation, const ClusterJob& job) {
        if (waits_for_ever(job.reason)) {
            decision_.cancels.push_back(job.id);
            return end(allocation, AllocationEnd::impossible, reason_words(job.reason));
        }
        const auto& queue = view_.classes.at(allocation.machine_class);
        if (queue.wanted_nodes.contains(allocation.machine)) return keep(allocation, job);
        pending_[allocation.machine_class].push_back({&allocation, &job});
    }

    void keep(const Allocation& allocation, const ClusterJob& job) {
        if (allocation.state == AllocationState::running) decision_.requeued.push_back(allocation);
        note(allocation, AllocationState::pending, job, reason_words(job.reason));
    }

    /// Of what waits for any node, the oldest are kept: as many as the queue is still worth, and as
    /// there are nodes that a job wants and nobody has.
    void keep_wanted(const std::string& name, const FleetClass& one) {
        auto& pending = pending_[name];
        std::stable_sort(pending.begin(), pending.end(), [](const Pending& a, const Pending& b) {
            return a.allocation->created_at_s < b.allocation->created_at_s;
        });
        const auto& held = held_nodes_[name];
        const auto free = std::count_if(
            one.wanted_nodes.begin(), one.wanted_nodes.end(), [&](const std::string& node) {
                return !held.contains(node);
            });
        const auto worth = worth_of(one) - one.own_workers - live_[name];
        const auto other = one.not_enough.empty() ? 0 : 1;
        auto left = std::max<std::ptrdiff_t>({worth, free, other});
        for (const auto& [allocation, job] : pending) {
            if (left-- > 0) {
                keep(*allocation, *job);
                continue;
            }
            decision_.cancels.push_back(job->id);
            end(*allocation,
                AllocationEnd::cancelled,
                one.jobs > 0 ? "fewer jobs wait now" : "no job waits for it any more");
        }
    }

    static int worth_of(const FleetClass& one) {
        return (one.jobs + one.limits.jobs_each - 1) / one.limits.jobs_each;
    }

    void look_at_running(const Allocation& allocation, const ClusterJob& job) {
        count(allocation);
        if (job.node.empty()) return;
        const bool has_token =
            allocation.state == AllocationState::running && allocation.machine == job.node;
        if (!has_token) {
            if (allocation.state == AllocationState::running) {
                decision_.requeued.push_back(allocation);  // to another node, unseen
            }
            decision_.starts.push_back({allocation, job.id, job.node});
            return;
        }
        const auto& queue = view_.classes.at(allocation.machine_class);
        if (view_.drained.contains(job.node)) return dismiss(allocation, job, drained_words);
        if (queue.useless_nodes.contains(job.node)) return dismiss(allocation, job, useless_words);
        note_counted(allocation, AllocationState::running, job, "");
    }

    // Told once: a second signal would end the job at hand.
    void dismiss(const Allocation& allocation, const ClusterJob& job, const char* why) {
        if (allocation.reason == drained_words || allocation.reason == useless_words) return;
        decision_.dismissals.push_back(job.id);
        note_counted(allocation, AllocationState::running, job, why);
    }

    void note(
        const Allocation& allocation,
        AllocationState to,
        const ClusterJob& job,
        const std::string& reason) {
        if (to != AllocationState::leaving) count(allocation);
        note_counted(allocation, to, job, reason);
    }

    void note_counted(
        const Allocation& allocation,
        AllocationState to,
        const ClusterJob& job,
        const std::string& reason) {
        const auto& node = job.node.empty() ? allocation.machine : job.node;
        const bool news = allocation.state != to || allocation.reason != reason ||
                          allocation.machine != node || allocation.cluster_job != job.id;
        const bool old = view_.now_s - allocation.seen_at_s.value_or(0) >= noted_every_s;
        if (!news && !old) return;
        decision_.moves.push_back({allocation.id, allocation.state, to, job.id, node, reason});
    }

    void end(const Allocation& allocation, AllocationEnd how, const std::string& reason) {
        decision_.ends.push_back({allocation, how, reason});
        if (ends_again(how)) ended_now_[allocation.machine_class] = decision_.ends.back();
    }

    void count(const Allocation& allocation) {
        ++live_[allocation.machine_class];
        if (!allocation.machine.empty()) {
            held_nodes_[allocation.machine_class].insert(allocation.machine);
        }
    }

    // A job with a name of ours that no open row knows was asked for by a row that has ended, or
    // is a second one of its name.
    void cancel_strangers() {
        for (const auto& job : *view_.jobs) {
            if (is_over(job.state) || job.state == ClusterState::completing) continue;
            if (known_jobs_.contains(job.id) || !is_own_name(view_.name, job.name)) continue;
            decision_.cancels.push_back(job.id);
        }
    }

    void request_for(const std::string& name, const FleetClass& one) {
        const auto& limits = one.limits;
        const int live = live_[name];
        std::vector<FleetRequest> wished;
        for (const auto& node : one.wanted_nodes) {
            if (!held_nodes_[name].contains(node)) wished.push_back({name, node, {}});
        }
        for (const auto& worker : one.not_enough) {
            const auto node = find_node(name, worker);
            const bool is_here = node ? held_nodes_[name].contains(*node) : one.own_workers > 0;
            const int all = one.own_workers + live + static_cast<int>(wished.size());
            if (all > (is_here ? 1 : 0)) continue;
            auto others = one.useless_nodes;
            if (node) others.insert(*node);
            wished.push_back({name, "", std::move(others)});
        }
        const int any = worth_of(one) - one.own_workers - live - static_cast<int>(wished.size());
        for (int i = 0; i < any; ++i) wished.push_back({name, "", one.useless_nodes});
        if (wished.empty()) return;
        const auto why = why_not(name, one);
        if (why) {
            decision_.blocked[name] = *why;
            return;
        }
        const int room = std::min(
            {limits.max_allocations - live,
             limits.max_requests_an_hour - one.past.planned,
             max_requests - static_cast<int>(decision_.requests.size())});
        for (int i = 0; i < std::min(room, static_cast<int>(wished.size())); ++i) {
            decision_.requests.push_back(wished[static_cast<std::size_t>(i)]);
        }
    }

    std::optional<std::string> why_not(const std::string& name, const FleetClass& one) const {
        const auto ended = ended_now_.find(name);
        const bool lately = one.past.newest_end && ends_again(*one.past.newest_end) &&
                            view_.now_s - one.past.newest_ended_at_s < retry_after_s;
        if (ended != ended_now_.end()) return end_words(ended->second.end, ended->second.reason);
        if (lately) return end_words(*one.past.newest_end, one.past.newest_reason);
        if (one.past.planned >= one.limits.max_requests_an_hour) {
            return "max_requests_an_hour is reached";
        }
        const auto budget_s = std::int64_t{one.limits.max_machine_hours_a_day} * 3600;
        if (budget_s > 0 && one.past.machine_s >= budget_s) {
            return "max_machine_hours_a_day is reached";
        }
        return std::nullopt;
    }

    struct Pending {
        const Allocation* allocation;
        const ClusterJob* job;
    };

    const FleetView& view_;
    FleetDecision decision_;
    std::map<std::string, std::vector<Pending>> pending_;  // that wait for any node
    std::set<std::int64_t> known_jobs_;
    std::map<std::string, int> live_;  // that have a machine, or will
    std::map<std::string, std::set<std::string>> held_nodes_;
    std::map<std::string, FleetEnd> ended_now_;  // in a way that would come again
};

}  // namespace

FleetDecision decide(const FleetView& view) {
    return Decider(view).decide();
}

std::string fleet_worker(const std::string& machine_class, const std::string& node) {
    return machine_class + "@" + node;
}

std::optional<std::string> find_node(const std::string& machine_class, const std::string& worker) {
    const auto prefix = fleet_worker(machine_class, "");
    if (!worker.starts_with(prefix)) return std::nullopt;
    return worker.substr(prefix.size());
}

bool is_own_name(const std::string& fleet_name, const std::string& job_name) {
    const auto prefix = fleet_name + "-";
    if (!job_name.starts_with(prefix) || job_name.size() < prefix.size() + id_digits + 2) {
        return false;
    }
    const auto id = job_name.substr(job_name.size() - id_digits);
    return job_name[job_name.size() - id_digits - 1] == '-' &&
           id.find_first_not_of("0123456789abcdef") == id.npos;
}

}  // namespace vigil::service
