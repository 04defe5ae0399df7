#include "service/store/workers.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/troubles.hpp"

namespace vigil::service {

namespace {

constexpr const char* quarantined = "worker.quarantined";

std::string subject_of(WorkerId worker) {
    return "worker/" + to_string(worker);
}

void note_quarantine(Database& db, WorkerId worker, const std::string& why, std::int64_t now_s) {
    const auto name = db.find<std::string>("SELECT name FROM worker WHERE id = ?1", worker).value();
    const Trouble trouble{
        quarantined,
        subject_of(worker),
        std::nullopt,
        "worker " + name + " gets no jobs: " + why +
            "; mend that (`vigil workers` shows it; one that is held comes back with "
            "`vigil worker release " +
            name + "`)",
        0,
        0};
    note_trouble(db, trouble, now_s);
}

}  // namespace

std::optional<std::string> why_unfit(
    const MachineClassConfig& machine_class, const Fingerprint& fingerprint) {
    if (fingerprint.cpu_model.find(machine_class.cpu_model) == std::string::npos) {
        return "its CPU is '" + fingerprint.cpu_model + "', not a '" + machine_class.cpu_model +
               "'";
    }
    if (fingerprint.memory_bytes < machine_class.min_memory_bytes) {
        return "it has " + std::to_string(fingerprint.memory_bytes) + " bytes of memory, not " +
               std::to_string(machine_class.min_memory_bytes);
    }
    const auto& gpus = fingerprint.gpus;
    if (!machine_class.gpu.empty() && std::none_of(gpus.begin(), gpus.end(), [&](const auto& gpu) {
            return gpu.find(machine_class.gpu) != std::string::npos;
        })) {
        return "none of its GPUs is a '" + machine_class.gpu + "'";
    }
    for (const auto& [key, value] : machine_class.labels) {
        const auto label = fingerprint.labels.find(key);
        if (label == fingerprint.labels.end() || label->second != value) {
            return "its label " + key + " is not '" + value + "'";
        }
    }
    return std::nullopt;
}

std::int64_t seen_after_s(const JobConfig& jobs, std::int64_t now_s) {
    return now_s - std::max<std::int64_t>(worker_silent_after_s, jobs.lease_ttl_s);
}

std::optional<std::int64_t> unseen_s(
    std::int64_t last_seen_at_s, const JobConfig& jobs, std::int64_t now_s) {
    if (last_seen_at_s > seen_after_s(jobs, now_s)) return std::nullopt;
    return now_s - last_seen_at_s;
}

std::optional<WorkerId> find_worker(Database& db, const std::string& name) {
    return db.find<WorkerId>("SELECT id FROM worker WHERE name = ?1", name);
}

WorkerId upsert_worker(
    Database& db,
    const Config& config,
    const std::string& name,
    const Fingerprint& fingerprint,
    bool draining,
    std::int64_t now_s,
    const WorkerWords& words) {
    const auto& class_name = config.workers.at(name).machine_class;
    const auto machine_class = ensure_machine_class(db, class_name);
    const auto held = db.find<std::string>("SELECT held FROM worker WHERE name = ?1", name);
    auto unfit = why_unfit(config.machine_classes.at(class_name), fingerprint);
    if (!unfit && !words.cannot_work.empty()) {
        unfit = "it says that it cannot work: " + words.cannot_work;
    }
    if (!unfit && held && !held->empty()) unfit = held;
    const std::string state = unfit ? "quarantined" : draining ? "draining" : "active";
    const auto before = db.find<std::string>("SELECT state FROM worker WHERE name = ?1", name);
    db.execute(
        "INSERT INTO worker(name, machine_class_id, state, reason, fingerprint, toolchain, "
        "first_seen_at_s, last_seen_at_s, containment) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8) "
        "ON CONFLICT(name) DO UPDATE SET machine_class_id = ?2, state = ?3, reason = ?4, "
        "fingerprint = ?5, toolchain = ?6, last_seen_at_s = ?7, containment = ?8",
        name,
        machine_class,
        state,
        unfit.value_or(""),
        wire::to_json(fingerprint).dump(),
        fingerprint.toolchain,
        now_s,
        nlohmann::json(words.containment).dump());
    const auto worker = *find_worker(db, name);
    if (unfit) {
        note_quarantine(db, worker, *unfit, now_s);
    } else if (before != state) {
        end_trouble(db, quarantined, subject_of(worker), now_s);
        const auto said = "worker " + name + " of class " + class_name + " is " + state;
        record_event(db, now_s, "worker." + state, std::nullopt, subject_of(worker), said);
    }
    return worker;
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
