#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "schema/model/job.hpp"
#include "service/config/config.hpp"
#include "service/store/workers.hpp"

// What a worker may do by what it shows and by when it was heard of.

namespace vigil::service {

/// Why this machine is not of the class: the first demand it misses; nothing when it fits.
std::optional<std::string> why_unfit(
    const MachineClassConfig& machine_class, const Fingerprint& fingerprint);

/// What a worker says of itself with a claim, beside its fingerprint.
struct WorkerWords {
    std::string cannot_work;  ///< why it can do no job now, one line; empty: it can
    std::map<std::string, std::string> containment;  ///< what holds its jobs: layer -> method
};

/// Notes a worker that shows itself. One that misses what its class demands, says that it cannot
/// work, or differs from a class of the fleet, gets no jobs.
/// @param name  that has a machine class (find_worker_class)
WorkerId upsert_worker(
    Database& db,
    const Config& config,
    const std::string& name,
    const Fingerprint& fingerprint,
    bool draining,
    std::int64_t now_s,
    const WorkerWords& words = {});

/// A worker that is there is heard of: idle, it asks for a job and waits 30 to 40 s for one; with a
/// job it sends three heartbeats a lease.
constexpr std::int64_t worker_silent_after_s = 120;

/// A worker whose `last_seen_at_s` is greater than this may be taken to be there.
std::int64_t seen_after_s(const JobConfig& jobs, std::int64_t now_s);

/// How long a worker was not heard of; nothing while it may be taken to be there.
std::optional<std::int64_t> unseen_s(
    std::int64_t last_seen_at_s, const JobConfig& jobs, std::int64_t now_s);

}  // namespace vigil::service
