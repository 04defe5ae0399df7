#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "service/config/config.hpp"
#include "service/fleet/cluster.hpp"
#include "service/store/machines/allocations.hpp"
#include "service/store/machines/class_fingerprints.hpp"

// What is to be done about the machines of a cluster. Pure functions of what the ledger and the
// cluster say.

namespace vigil::service {

/// A machine class of the fleet, and what its queue is worth.
struct FleetClass {
    FleetClassConfig limits;
    int jobs = 0;         ///< that wait for any worker of the class, or that a fleet's worker has
    int own_workers = 0;  ///< that are there beside the fleet
    std::set<std::string> wanted_nodes = {};  ///< for which jobs wait that no other may take
    /// Workers beside which another one is wanted: jobs wait that these may not take.
    std::set<std::string> not_enough = {};
    std::set<std::string> useless_nodes = {};  ///< whose workers get no jobs
    AllocationPast past = {};
};

/// A node that Slurm is to drain.
struct FleetDrain {
    DifferingWorker worker;
    std::string node;
};

/// All that a decision stands on.
struct FleetView {
    std::string name;                             ///< FleetConfig::name
    std::map<std::string, FleetClass> classes;    ///< of the config
    std::vector<Allocation> allocations;          ///< that have not ended
    std::optional<std::vector<ClusterJob>> jobs;  ///< nothing: the cluster gave no answer
    /// Of jobs that are not listed; nothing: the cluster has forgotten it.
    std::map<std::int64_t, std::optional<ClusterJob>> looked_up = {};
    std::set<std::string> drained = {};       ///< nodes
    std::vector<FleetDrain> drains = {};      ///< that were not answered
    std::set<std::string> live_workers = {};  ///< that were heard of within a lease
    std::set<std::string> left_workers = {};  ///< that said that they end
    std::int64_t now_s = 0;
};

/// A machine that is to be asked for.
struct FleetRequest {
    std::string machine_class;
    std::string node;                      ///< only this one; empty: any
    std::set<std::string> not_nodes = {};  ///< any but these
};

/// A job that got its node: its worker is to have a token.
struct FleetStart {
    Allocation allocation;
    std::int64_t job = 0;
    std::string node;
};

/// An allocation that is over for us: its token goes, and its worker's leases.
struct FleetEnd {
    Allocation allocation;
    AllocationEnd end = AllocationEnd::finished;
    std::string reason;
};

struct FleetDecision {
    std::vector<AllocationMove> moves;  ///< what the cluster says, for the ledger
    std::vector<FleetEnd> ends;         ///< likewise
    std::vector<Allocation> requeued;   ///< that lost their node and wait again
    std::vector<FleetStart> starts;
    std::vector<FleetRequest> requests;
    std::vector<std::int64_t> cancels;     ///< jobs that nobody needs, or knows
    std::vector<std::int64_t> dismissals;  ///< jobs whose worker is to end after the job at hand
    std::vector<std::int64_t> look_ups;    ///< jobs that are not listed any more
    std::vector<FleetDrain> drains;        ///< nodes that take no more jobs of anybody
    std::map<std::string, std::string> blocked;  ///< class -> why no more machines are asked for
};

/// How long a request may be under way before "not listed" means that it never came.
inline constexpr std::int64_t request_settles_s = 30;

/// After an allocation that would end the same way again, the class waits so long.
inline constexpr std::int64_t retry_after_s = 900;

FleetDecision decide(const FleetView& view);

/// The worker of an allocation on a node. No token that a person makes has such a name.
std::string fleet_worker(const std::string& machine_class, const std::string& node);

/// The node of such a worker. @return nothing: it is none of the class
std::optional<std::string> find_node(const std::string& machine_class, const std::string& worker);

/// Whether a job's name is one that this daemon gives: NAME-CLASS- and 16 hexadecimal digits.
bool is_own_name(const std::string& fleet_name, const std::string& job_name);

}  // namespace vigil::service
