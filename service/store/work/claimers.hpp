#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/store/database.hpp"

// Table `worker`, as far as its claims ask.

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

struct ClassWorker {
    WorkerId id;
    bool is_active = false;
    std::int64_t last_seen_at_s = 0;
};

/// The workers of a machine class, in any state.
std::vector<ClassWorker> list_class_workers(Database& db, MachineClassId machine_class);

}  // namespace vigil::service
