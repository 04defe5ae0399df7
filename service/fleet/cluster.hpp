#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "service/config/config.hpp"

namespace vigil::service {

/// What became of a job in Slurm's own words, as far as they differ for us.
enum class ClusterState {
    pending,        ///< it has no node
    starting,       ///< its node is being made ready
    running,        ///< on its node
    suspended,      ///< on its node, and stopped there
    completing,     ///< its node is being cleared
    completed,      ///< it ended with 0
    failed,         ///< it ended otherwise
    cancelled,      ///< somebody cancelled it
    preempted,      ///< for one of more worth
    node_failed,    ///< its node failed, or did not start
    timed_out,      ///< its time limit, or its deadline
    out_of_memory,  ///< killed for memory
    unknown,        ///< a word that we do not know
};

/// A job as the cluster shows it. Texts are a stranger's: one line each, and short.
struct ClusterJob {
    std::int64_t id = 0;
    std::string name;
    ClusterState state = ClusterState::unknown;
    std::string reason;  ///< why it waits; empty: for nothing
    std::string node;    ///< empty: it has none, or several
};

/// What a node is asked for. Every text but `script` is one of our own or the operator's.
struct ClusterRequest {
    std::string name;    ///< of the job
    std::string script;  ///< path of what it runs
    std::vector<std::string> arguments;
    std::string output;               ///< path of the file that gets what it prints
    std::string node;                 ///< only this one; empty: any
    std::set<std::string> not_nodes;  ///< any but these
    FleetClassConfig with;
    std::int64_t warned_s = 60;  ///< SIGTERM comes so long before the time limit
};

/// What the cluster says to a request.
struct ClusterReply {
    std::optional<std::int64_t> job;  ///< its number
    /// Nothing, and no number: whether the cluster has it is not known.
    std::optional<std::string> refusal;  ///< why it was not taken, one line
};

/// A cluster's scheduler. Used from one thread, which it may block for a minute.
class Cluster {
  public:
    virtual ~Cluster() = default;

    /// Asks for one node. @throws Error{unavailable} when nothing was asked
    virtual ClusterReply request(const ClusterRequest& request) = 0;

    /// All jobs of the daemon's user, with those that ended a moment ago.
    /// @throws Error{unavailable} when the controller gives no answer
    virtual std::vector<ClusterJob> list_jobs() = 0;

    /// One that is no longer listed, from the accounting or the controller's memory.
    /// @return nothing: the cluster has forgotten it
    /// @throws Error{unavailable} when there is no answer
    virtual std::optional<ClusterJob> look_up(std::int64_t job) = 0;

    /// Nodes that are to take no more jobs.
    /// @throws Error{unavailable} when there is no answer
    virtual std::set<std::string> list_drained() = 0;

    /// Ends a job, whatever it does. One that is over stays as it is.
    /// @throws Error{unavailable} when there is no answer
    virtual void cancel(std::int64_t job) = 0;

    /// Tells a job's worker to end after the job at hand.
    /// @throws Error{unavailable} when there is no answer
    virtual void dismiss(std::int64_t job) = 0;

    /// Lets a node take no more jobs, of anybody. What runs there goes on.
    /// @param reason  one line, for the cluster's admins
    /// @return why it is not done; nothing: it is
    /// @throws Error{unavailable} when there is no answer
    virtual std::optional<std::string> drain(
        const std::string& node, const std::string& reason) = 0;
};

}  // namespace vigil::service
