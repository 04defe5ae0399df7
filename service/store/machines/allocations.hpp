#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/allocation.hpp"
#include "service/store/database.hpp"

// The table `allocation`: machines that the scheduler of a cluster is asked for, and what the queue
// is worth in such machines.

namespace vigil::service {

struct Allocation {
    AllocationId id;
    std::string machine_class;
    std::string name;  ///< of the scheduler's job
    AllocationState state = AllocationState::planned;
    std::optional<std::int64_t> cluster_job;  ///< the scheduler's number
    std::string machine;                      ///< that it is on, or needs; empty: any
    std::string reason;                       ///< why it waits; may be empty
    std::int64_t created_at_s = 0;
    std::optional<std::int64_t> seen_at_s;     ///< when the scheduler last told of it
    std::optional<std::int64_t> started_at_s;  ///< when it was first seen on a machine
};

/// @param name     one that no other ever had
/// @param machine  the only one that will do; empty: any
AllocationId add_allocation(
    Database& db,
    const std::string& machine_class,
    const std::string& name,
    const std::string& machine,
    std::int64_t now_s);

/// Those that have not ended, oldest first.
std::vector<Allocation> list_open_allocations(Database& db);

/// What the scheduler says of one now.
struct AllocationMove {
    AllocationId id;
    AllocationState from = AllocationState::planned;
    AllocationState to = AllocationState::planned;  ///< the same: only what it says is noted
    std::optional<std::int64_t> cluster_job;        ///< nothing: as before
    std::string machine;
    std::string reason;
};
/// @throws Error{conflict} where `from` cannot become `to`
void move_allocation(Database& db, const AllocationMove& move, std::int64_t now_s);

/// Ends one, with an event.
/// @param reason  one line for a person; may be empty
void end_allocation(
    Database& db,
    const Allocation& allocation,
    AllocationEnd end,
    const std::string& reason,
    std::int64_t now_s);

/// Of a machine class, as its limits are counted.
struct AllocationPast {
    int planned = 0;             ///< in the last hour
    std::int64_t machine_s = 0;  ///< on machines, of those that were planned in the last day
    std::optional<AllocationEnd> newest_end;  ///< of the newest one that has ended
    std::int64_t newest_ended_at_s = 0;
    std::string newest_reason;  ///< why it ended; may be empty
};
AllocationPast load_allocation_past(
    Database& db, const std::string& machine_class, std::int64_t now_s);

/// What waits for machines of one class.
struct ClassQueue {
    std::string machine_class;
    int jobs = 0;         ///< that wait for any worker, or are under lease
    int own_workers = 0;  ///< that are there and belong to no allocation
};
/// @param seen_after_s  who was heard of later than this is there
std::vector<ClassQueue> list_class_queues(Database& db, std::int64_t seen_after_s);

/// How many jobs of a project wait for any worker of a class, of those up to a priority.
struct ProjectQueue {
    std::string machine_class;
    int jobs = 0;
};
std::vector<ProjectQueue> list_project_queue(Database& db, ProjectId project, int up_to_priority);

/// A worker of an allocation for which jobs of a project wait that nobody else may take.
struct WantedWorker {
    std::string worker;
    ProjectId project;
    int priority = 0;  ///< the highest of these jobs
};
std::vector<WantedWorker> list_wanted_workers(Database& db);

/// A worker beside which jobs of its class, of a project, wait for another one.
struct ExceptedWorker {
    std::string machine_class;
    std::string worker;
    ProjectId project;
    int priority = 0;  ///< the highest of these jobs
};
std::vector<ExceptedWorker> list_excepted_workers(Database& db);

bool was_seen_after(Database& db, const std::string& worker, std::int64_t at_s);

/// Whether a worker was heard of since then, and said last that it ends.
bool has_left_since(Database& db, const std::string& worker, std::int64_t at_s);

/// A worker whose machine is gone: nobody waits for it.
void note_left(Database& db, const std::string& worker);

}  // namespace vigil::service
