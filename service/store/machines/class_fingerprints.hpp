#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/job.hpp"
#include "service/store/database.hpp"

// The tables `class_fingerprint` and `differing_worker`: what the machines of a class are, and who
// shows something else.

namespace vigil::service {

/// What the machines of a class are; nothing: none of them was seen.
std::optional<Fingerprint> find_class_fingerprint(Database& db, MachineClassId machine_class);

void set_class_fingerprint(
    Database& db, MachineClassId machine_class, const Fingerprint& fingerprint, std::int64_t now_s);

/// What the workers of a class showed last, the one first who was seen first; at most 300. Who
/// misses a demand of the class is left out.
/// @param seen_after_s  who was not heard of later is left out
std::vector<Fingerprint> list_shown_fingerprints(
    Database& db, MachineClassId machine_class, std::int64_t seen_after_s);

/// A worker whose machine differs from its class.
struct DifferingWorker {
    WorkerId worker;
    std::string name;
    std::string machine_class;
    std::optional<Fingerprint> fingerprint;  ///< that it was found with
    std::string words;                       ///< why it is held
    bool is_held = false;                    ///< for this; false: a person released it as it is
    std::int64_t found_at_s = 0;
    std::optional<std::int64_t> drain_planned_at_s;   ///< a row before the scheduler is asked
    std::optional<std::int64_t> drain_answered_at_s;  ///< it has drained the machine, or will not
};
std::optional<DifferingWorker> find_differing(Database& db, WorkerId worker);

/// Of a class, the one first who was found first.
std::vector<DifferingWorker> list_differing(Database& db, MachineClassId machine_class);

/// Holds a worker that differs, unless it is held for another reason.
/// @param words  why, one line
void hold_differing(
    Database& db,
    WorkerId worker,
    const Fingerprint& fingerprint,
    const std::string& words,
    std::int64_t now_s);

/// It differs no more: released, where it is held for that.
void release_differing(Database& db, const DifferingWorker& one, std::int64_t now_s);

void plan_drain(Database& db, WorkerId worker, std::int64_t now_s);

/// What the scheduler said.
/// @param words  why the worker is held, with that
void note_drain(
    Database& db, const DifferingWorker& one, const std::string& words, std::int64_t now_s);

/// Workers of allocations that get no jobs: held, or unfit a moment ago. At most 200 of a class.
/// @param seen_after_s  who is not held and was not heard of later may be fit again
std::vector<std::string> list_useless_workers(
    Database& db, const std::string& machine_class, std::int64_t seen_after_s);

}  // namespace vigil::service
