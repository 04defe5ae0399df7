#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "service/store/database.hpp"

// Table `worker`, as far as claims and waiting jobs ask.

namespace vigil::service {

struct Claimer {
    WorkerId id;
    std::string name;
    bool is_active = false;  ///< neither quarantined nor draining
    MachineClassId machine_class;
    std::string class_name;
    std::string toolchain;
    std::string instance;         ///< its process, by lot; empty: not told
    std::string instance_before;  ///< the one before that
};

std::optional<Claimer> find_claimer(Database& db, WorkerId worker);

/// Notes which process speaks for a worker now, and which did before.
void note_instance(
    Database& db, WorkerId worker, const std::string& instance, const std::string& before);

void note_seen(Database& db, WorkerId worker, std::int64_t now_s);

/// A worker that may do the jobs of its machine class.
struct ClassWorker {
    WorkerId id;
    std::string name;
    std::string state;   ///< "active", "draining", ...
    std::string reason;  ///< why it is not active; may be empty
    std::int64_t last_seen_at_s = 0;
    bool has_lease = false;  ///< on some job

    bool is_active() const { return state == "active"; }
};

/// A ClassWorker of a worker `w`.
inline constexpr const char* class_worker_columns =
    "w.id, w.name, w.state, w.reason, w.last_seen_at_s, EXISTS (SELECT 1 FROM job l "
    "WHERE l.state = 'leased' AND l.worker_id = w.id)";

/// The workers of a machine class, in any state, the last seen first.
std::vector<ClassWorker> list_class_workers(
    Database& db, MachineClassId machine_class, int limit = std::numeric_limits<int>::max());

struct WaitingClass {
    MachineClassId id;
    std::string name;
    std::int64_t jobs = 0;
    std::int64_t since_s = 0;  ///< when the oldest of them was made
    ProjectId project;         ///< of that one
};
/// Machine classes for which jobs wait; how many is counted.
std::vector<WaitingClass> list_waiting_classes(Database& db);
/// The names of these classes alone: nothing is counted, so a long queue costs no more.
std::vector<std::string> list_classes_with_work(Database& db);

}  // namespace vigil::service
