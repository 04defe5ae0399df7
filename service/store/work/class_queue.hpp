#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// The jobs that wait for a machine class, and the workers that it has (tables job and worker).

namespace vigil::service {

struct WaitingClass {
    MachineClassId id;
    std::string name;
    std::int64_t jobs = 0;
    std::int64_t since_s = 0;  ///< when the oldest of them was made
    ProjectId project;         ///< of that one
};
/// Machine classes for which jobs wait.
std::vector<WaitingClass> list_waiting_classes(Database& db);

struct ServingWorker {
    std::string name;
    std::string state;   ///< "active", "draining", ...
    std::string reason;  ///< why it is not active; may be empty
    std::int64_t last_seen_at_s = 0;
    bool has_job = false;
};
/// The workers of a class, the last seen first.
std::vector<ServingWorker> list_serving_workers(
    Database& db, MachineClassId machine_class, int limit = 20);

}  // namespace vigil::service
