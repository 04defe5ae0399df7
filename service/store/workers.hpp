#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "schema/model/job.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Why this machine is not of the class: the first demand it misses; nothing when it fits.
std::optional<std::string> why_unfit(
    const MachineClassConfig& machine_class, const Fingerprint& fingerprint);

/// What a worker says of itself with a claim, beside its fingerprint.
struct WorkerWords {
    std::string cannot_work;  ///< why it can do no job now, one line; empty: it can
    std::map<std::string, std::string> containment;  ///< what holds its jobs: layer -> method
};

/// Notes a worker that shows itself: new, seen again, with another fingerprint. One that misses
/// what its class demands, or says that it cannot work, is quarantined and gets no jobs; an event
/// says when that changes, and it is a trouble while it lasts.
/// @param name  in the config's workers
WorkerId upsert_worker(
    Database& db,
    const Config& config,
    const std::string& name,
    const Fingerprint& fingerprint,
    bool draining,
    std::int64_t now_s,
    const WorkerWords& words = {});

/// Quarantines a worker until somebody releases it, whatever it shows.
/// @param why  one line, for a person
void hold_worker(Database& db, WorkerId worker, const std::string& why, std::int64_t now_s);

/// Takes the hold back; what it shows at its next claim says what it may do.
/// @throws Error{not_found}, Error{conflict} when it is not held
void release_worker(Database& db, const std::string& name, std::int64_t now_s);

/// A worker that is there is heard of: idle, it asks for a job and waits 30 to 40 s for one; with a
/// job it sends three heartbeats a lease.
constexpr std::int64_t worker_silent_after_s = 120;

/// A worker whose `last_seen_at_s` is greater than this may be taken to be there.
std::int64_t seen_after_s(const JobConfig& jobs, std::int64_t now_s);

/// How long a worker was not heard of; nothing while it may be taken to be there.
std::optional<std::int64_t> unseen_s(
    std::int64_t last_seen_at_s, const JobConfig& jobs, std::int64_t now_s);

std::optional<WorkerId> find_worker(Database& db, const std::string& name);

}  // namespace vigil::service
