#include "service/store/machines/class_fingerprints.hpp"

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/store/workers.hpp"

namespace vigil::service {

namespace {

struct StoredDiffering {
    WorkerId worker;
    std::string name;
    std::string machine_class;
    std::string fingerprint;
    std::string words;
    bool is_held = false;
    std::int64_t found_at_s = 0;
    std::optional<std::int64_t> drain_planned_at_s;
    std::optional<std::int64_t> drain_answered_at_s;
};

/// Nothing where it shows no machine: of a stand-in, or of a build from before.
std::optional<Fingerprint> read_fingerprint(const std::string& text) {
    try {
        return wire::parse_fingerprint(wire::parse_json(text, "a stored fingerprint"));
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::string text_of(const Fingerprint& fingerprint) {
    return wire::to_json(fingerprint).dump();
}

DifferingWorker read_differing(StoredDiffering stored) {
    return {
        stored.worker,
        std::move(stored.name),
        std::move(stored.machine_class),
        read_fingerprint(stored.fingerprint),
        std::move(stored.words),
        stored.is_held,
        stored.found_at_s,
        stored.drain_planned_at_s,
        stored.drain_answered_at_s};
}

}  // namespace

std::optional<Fingerprint> find_class_fingerprint(Database& db, MachineClassId machine_class) {
    const auto text = db.find<std::string>(
        "SELECT fingerprint FROM class_fingerprint WHERE machine_class_id = ?1", machine_class);
    return text ? read_fingerprint(*text) : std::nullopt;
}

void set_class_fingerprint(
    Database& db,
    MachineClassId machine_class,
    const Fingerprint& fingerprint,
    std::int64_t now_s) {
    db.execute(
        "INSERT INTO class_fingerprint(machine_class_id, fingerprint, since_s) VALUES (?1, ?2, ?3) "
        "ON CONFLICT(machine_class_id) DO UPDATE SET fingerprint = ?2, since_s = ?3",
        machine_class,
        text_of(fingerprint),
        now_s);
}

std::vector<Fingerprint> list_shown_fingerprints(
    Database& db, MachineClassId machine_class, std::int64_t seen_after_s) {
    std::vector<Fingerprint> shown;
    for (const auto& text : db.all<std::string>(
             "SELECT fingerprint FROM worker WHERE machine_class_id = ?1 AND last_seen_at_s > ?2 "
             "AND NOT (state = 'quarantined' AND held = '') ORDER BY id LIMIT 300",
             machine_class,
             seen_after_s)) {
        if (auto one = read_fingerprint(text)) shown.push_back(std::move(*one));
    }
    return shown;
}

std::optional<DifferingWorker> find_differing(Database& db, WorkerId worker) {
    auto stored = db.first<StoredDiffering>(
        "SELECT d.worker_id, w.name, c.name, d.fingerprint, d.words, w.held = d.words, "
        "d.found_at_s, d.drain_planned_at_s, d.drain_answered_at_s FROM differing_worker d "
        "JOIN worker w ON w.id = d.worker_id JOIN machine_class c ON c.id = w.machine_class_id "
        "WHERE d.worker_id = ?1",
        worker);
    if (!stored) return std::nullopt;
    return read_differing(std::move(*stored));
}

std::vector<DifferingWorker> list_differing(Database& db, MachineClassId machine_class) {
    std::vector<DifferingWorker> differing;
    for (const auto worker : db.all<WorkerId>(
             "SELECT d.worker_id FROM differing_worker d JOIN worker w ON w.id = d.worker_id "
             "WHERE w.machine_class_id = ?1 ORDER BY d.found_at_s, d.worker_id",
             machine_class)) {
        differing.push_back(find_differing(db, worker).value());
    }
    return differing;
}

void hold_differing(
    Database& db,
    WorkerId worker,
    const Fingerprint& fingerprint,
    const std::string& words,
    std::int64_t now_s) {
    const auto known = find_differing(db, worker);
    const auto held = db.find<std::string>("SELECT held FROM worker WHERE id = ?1", worker);
    if (!held->empty() && !(known && known->is_held)) return;
    db.execute(
        "INSERT INTO differing_worker(worker_id, fingerprint, words, found_at_s) "
        "VALUES (?1, ?2, ?3, ?4) ON CONFLICT(worker_id) DO UPDATE SET fingerprint = ?2, words = "
        "?3, "
        "found_at_s = ?4, drain_planned_at_s = NULL, drain_answered_at_s = NULL",
        worker,
        text_of(fingerprint),
        words,
        now_s);
    hold_worker(db, worker, words, now_s);
}

void release_differing(Database& db, const DifferingWorker& one, std::int64_t now_s) {
    db.execute("DELETE FROM differing_worker WHERE worker_id = ?1", one.worker);
    if (one.is_held) release_worker(db, one.name, now_s);
}

void plan_drain(Database& db, WorkerId worker, std::int64_t now_s) {
    db.execute(
        "UPDATE differing_worker SET drain_planned_at_s = ?2 WHERE worker_id = ?1", worker, now_s);
}

void note_drain(
    Database& db, const DifferingWorker& one, const std::string& words, std::int64_t now_s) {
    db.execute(
        "UPDATE differing_worker SET drain_answered_at_s = ?2 WHERE worker_id = ?1",
        one.worker,
        now_s);
    const auto now = find_differing(db, one.worker);
    if (!now || !now->is_held) return;  // a person released it meanwhile
    db.execute("UPDATE differing_worker SET words = ?2 WHERE worker_id = ?1", one.worker, words);
    hold_worker(db, one.worker, words, now_s);
}

std::vector<std::string> list_useless_workers(
    Database& db, const std::string& machine_class, std::int64_t seen_after_s) {
    return db.all<std::string>(
        "SELECT w.name FROM worker w JOIN machine_class c ON c.id = w.machine_class_id "
        "WHERE c.name = ?1 AND instr(w.name, '@') > 0 AND w.state = 'quarantined' "
        "AND (w.held <> '' OR w.last_seen_at_s > ?2) ORDER BY w.last_seen_at_s DESC LIMIT 200",
        machine_class,
        seen_after_s);
}

}  // namespace vigil::service
