#include "service/store/workers.hpp"

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/troubles.hpp"

namespace vigil::service {

namespace {

constexpr const char* quarantined = "worker.quarantined";

struct KnownWorker {
    std::string state;
    std::string held;
};

std::string subject_of(WorkerId worker) {
    return "worker/" + to_string(worker);
}

void note_quarantine(Database& db, WorkerId worker, const std::string& why, std::int64_t now_s) {
    const auto name = load_worker_name(db, worker);
    const Trouble trouble{
        quarantined,
        subject_of(worker),
        std::nullopt,
        "worker " + name + " gets no jobs: " + why +
            "; fix the cause (`vigil workers` shows it; one that is held comes back with "
            "`vigil worker release " +
            name + "`)",
        0,
        0};
    note_trouble(db, trouble, now_s);
}

}  // namespace

std::string load_worker_name(Database& db, WorkerId worker) {
    return db.find<std::string>("SELECT name FROM worker WHERE id = ?1", worker).value();
}

std::optional<std::string> find_label(Database& db, WorkerId worker, std::string_view label) {
    return db.find<std::string>(
        "SELECT one.value FROM worker w, json_each(w.fingerprint, '$.labels') one "
        "WHERE w.id = ?1 AND one.key = ?2",
        worker,
        label);
}

std::optional<WorkerId> find_worker(Database& db, const std::string& name) {
    return db.find<WorkerId>("SELECT id FROM worker WHERE name = ?1", name);
}

WorkerId note_worker(
    Database& db, const std::string& name, const ShownWorker& shown, std::int64_t now_s) {
    const auto before =
        db.first<KnownWorker>("SELECT state, held FROM worker WHERE name = ?1", name);
    auto unfit = shown.unfit;
    if (unfit.empty() && before) unfit = before->held;
    const std::string state = !unfit.empty()   ? "quarantined"
                              : shown.draining ? "draining"
                                               : "active";
    db.execute(
        "INSERT INTO worker(name, machine_class_id, state, reason, fingerprint, toolchain, "
        "first_seen_at_s, last_seen_at_s, containment) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8) "
        "ON CONFLICT(name) DO UPDATE SET machine_class_id = ?2, state = ?3, reason = ?4, "
        "fingerprint = ?5, toolchain = ?6, last_seen_at_s = ?7, containment = ?8",
        name,
        ensure_machine_class(db, shown.machine_class),
        state,
        unfit,
        wire::to_json(shown.fingerprint).dump(),
        shown.fingerprint.toolchain,
        now_s,
        nlohmann::json(shown.containment).dump());
    const auto worker = *find_worker(db, name);
    if (!unfit.empty()) {
        note_quarantine(db, worker, unfit, now_s);
    } else if (!before || before->state != state) {
        end_trouble(db, quarantined, subject_of(worker), now_s);
        const auto said = "worker " + name + " of class " + shown.machine_class + " is " + state;
        record_event(db, now_s, "worker." + state, std::nullopt, subject_of(worker), said);
    }
    return worker;
}

WorkerId ensure_stand_in(
    Database& db, ProjectId project, MachineClassId machine_class, std::int64_t now_s) {
    const auto name = db.find<std::string>(
        "SELECT 'elsewhere-' || p.name || '-' || c.name FROM project p, machine_class c "
        "WHERE p.id = ?1 AND c.id = ?2",
        project,
        machine_class);
    db.execute(
        "INSERT INTO worker(name, machine_class_id, state, reason, fingerprint, toolchain, "
        "first_seen_at_s, last_seen_at_s) VALUES (?1, ?2, 'draining', "
        "'it stands for machines elsewhere, whose results are sent', ?3, '', ?4, ?4) "
        "ON CONFLICT(name) DO UPDATE SET last_seen_at_s = ?4",
        *name,
        machine_class,
        wire::to_json(Fingerprint{}).dump(),
        now_s);
    return *find_worker(db, *name);
}

bool has_worker_beside(Database& db, WorkerId worker, MachineClassId machine_class) {
    return db.has(
        "SELECT 1 FROM worker WHERE machine_class_id = ?1 AND id <> ?2 LIMIT 1",
        machine_class,
        worker);
}

bool was_withdrawn(Database& db, WorkerId worker) {
    return db.has("SELECT 1 FROM withdrawal WHERE worker_id = ?1 LIMIT 1", worker);
}

void remove_stand_in(Database& db, WorkerId worker) {
    db.execute("DELETE FROM worker_environment WHERE worker_id = ?1", worker);
    db.execute("DELETE FROM worker WHERE id = ?1", worker);
}

void hold_worker(Database& db, WorkerId worker, const std::string& why, std::int64_t now_s) {
    db.execute(
        "UPDATE worker SET held = ?2, state = 'quarantined', reason = ?2 WHERE id = ?1",
        worker,
        why);
    note_quarantine(db, worker, why, now_s);
}

void release_worker(Database& db, const std::string& name, std::int64_t now_s) {
    const auto worker = find_worker(db, name);
    if (!worker) throw Error(Errc::not_found, "there is no worker '" + name + "'");
    const auto held = db.find<std::string>("SELECT held FROM worker WHERE id = ?1", *worker);
    if (held->empty()) {
        throw Error(
            Errc::conflict,
            "worker '" + name +
                "' is not held; a worker that misses what its class demands comes "
                "back by itself once it fits");
    }
    db.execute("UPDATE worker SET held = '', state = 'active', reason = '' WHERE id = ?1", *worker);
    const auto words = "worker " + name + " may measure again";
    record_event(db, now_s, "worker.released", std::nullopt, subject_of(*worker), words);
    end_trouble(db, quarantined, subject_of(*worker), now_s);
}

}  // namespace vigil::service
