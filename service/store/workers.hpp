#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "schema/model/job.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// What a worker showed of itself.
struct ShownWorker {
    std::string machine_class;
    Fingerprint fingerprint;
    std::string unfit;  ///< why it gets no jobs, one line; empty: it may have some
    bool draining = false;
    std::map<std::string, std::string> containment = {};  ///< layer -> method
};

/// Notes a worker that shows itself: new, seen again, or otherwise than before. One that is unfit
/// or held is quarantined; an event says when its state changes, and it is a trouble while it is
/// quarantined.
WorkerId note_worker(
    Database& db, const std::string& name, const ShownWorker& shown, std::int64_t now_s);

/// The worker that stands for a project's machines elsewhere, made when missing. It is `draining`:
/// it claims nothing.
WorkerId ensure_stand_in(
    Database& db, ProjectId project, MachineClassId machine_class, std::int64_t now_s);

/// Whether a worker has the class, but for this one.
bool has_worker_beside(Database& db, WorkerId worker, MachineClassId machine_class);

/// Whether a person took out of judgement what this worker measured, now or before.
bool was_withdrawn(Database& db, WorkerId worker);

/// One that stands for machines elsewhere, and of whose jobs there is none.
void remove_stand_in(Database& db, WorkerId worker);

/// Quarantines a worker until somebody releases it, whatever it shows.
/// @param why  one line, for a person
void hold_worker(Database& db, WorkerId worker, const std::string& why, std::int64_t now_s);

/// Takes the hold back; what it shows at its next claim says what it may do.
/// @throws Error{not_found}, Error{conflict} when it is not held
void release_worker(Database& db, const std::string& name, std::int64_t now_s);

/// The value of a label that a worker showed last.
std::optional<std::string> find_label(Database& db, WorkerId worker, std::string_view label);

std::optional<WorkerId> find_worker(Database& db, const std::string& name);
std::string load_worker_name(Database& db, WorkerId worker);

}  // namespace vigil::service
