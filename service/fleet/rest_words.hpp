#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "service/fleet/cluster.hpp"

// What slurmrestd is sent and what it answers, in the shapes of its versions. Pure functions.
// Readers are tolerant: what is missing or of another shape is left out. A body that is no JSON
// throws Error{invalid_argument}.

namespace vigil::service {

/// The versions of slurmrestd's interface that are spoken: 38 is "v0.0.38", of Slurm 22.05.
inline constexpr int oldest_rest_version = 38;
inline constexpr int newest_rest_version = 44;

/// The body that asks for a job.
std::string rest_request(const ClusterRequest& request, int version);

/// The batch script of a job: runs what the request names. The worker is told to end in time before
/// the time limit, and at `dismissal_signal`.
std::string rest_script(const ClusterRequest& request);

/// Tells the script, and it alone, that its worker is to end: slurmrestd signals all processes of a
/// job, and others ignore this one.
inline constexpr const char* dismissal_signal = "URG";

/// The body that drains a node; v0.0.38 has no such request.
std::string rest_drain(const std::string& reason);
inline constexpr int oldest_draining_version = 39;

/// What slurmrestd says that failed. It may come with any status, 200 too.
struct RestErrors {
    std::string words;               ///< one line; empty: none
    std::set<std::int64_t> numbers;  ///< Slurm's

    /// It is an answer about the request. Otherwise the controller was not reached, or it is not
    /// known what it did.
    bool is_answer() const;
    bool no_such_job() const { return numbers.contains(2017); }
    bool is_over_already() const { return numbers.contains(2021); }
};
RestErrors parse_rest_errors(std::string_view body);

/// The number of the job that was taken.
std::optional<std::int64_t> parse_rest_submitted(std::string_view body);

struct RestJob {
    ClusterJob job;
    std::string user;  ///< its owner; empty: not told
};

/// Jobs of the controller and of the accounting.
std::vector<RestJob> parse_rest_jobs(std::string_view body);

/// Nodes that are to take no more jobs.
std::set<std::string> parse_rest_drained(std::string_view body);

}  // namespace vigil::service
