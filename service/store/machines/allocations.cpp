#include "service/store/machines/allocations.hpp"

#include "schema/model/transitions.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t hour_s = 3600;
constexpr std::int64_t day_s = 24 * hour_s;

std::string subject_of(AllocationId id) {
    return "allocation/" + to_string(id);
}

struct NewestEnd {
    AllocationEnd end = AllocationEnd::finished;
    std::int64_t at_s = 0;
    std::string reason;
};

}  // namespace

AllocationId add_allocation(
    Database& db,
    const std::string& machine_class,
    const std::string& name,
    const std::string& machine,
    std::int64_t now_s) {
    const auto id = db.insert<AllocationId>(
        "INSERT INTO allocation(machine_class_id, name, state, machine, created_at_s) "
        "VALUES (?1, ?2, 'planned', ?3, ?4)",
        ensure_machine_class(db, machine_class),
        name,
        machine,
        now_s);
    const auto words = "a machine of class " + machine_class + " is requested as " + name;
    record_event(db, now_s, "allocation.planned", std::nullopt, subject_of(id), words);
    return id;
}

std::vector<Allocation> list_open_allocations(Database& db) {
    return db.all<Allocation>(
        "SELECT a.id, c.name, a.name, a.state, a.cluster_job, a.machine, a.reason, a.created_at_s, "
        "a.seen_at_s, a.started_at_s FROM allocation a "
        "JOIN machine_class c ON c.id = a.machine_class_id WHERE a.state <> 'ended' ORDER BY a.id");
}

void move_allocation(Database& db, const AllocationMove& move, std::int64_t now_s) {
    if (move.from != move.to) check_move("allocation", move.id, move.from, move.to);
    const bool runs = move.to == AllocationState::running;
    db.execute(
        "UPDATE allocation SET state = ?3, cluster_job = COALESCE(?4, cluster_job), machine = ?5, "
        "reason = ?6, seen_at_s = ?7, started_at_s = COALESCE(started_at_s, ?8) "
        "WHERE id = ?1 AND state = ?2",
        move.id,
        move.from,
        move.to,
        move.cluster_job,
        move.machine,
        move.reason,
        now_s,
        runs ? std::optional(now_s) : std::nullopt);
    if (move.from == move.to) return;
    auto words = *db.find<std::string>("SELECT name FROM allocation WHERE id = ?1", move.id) +
                 " is " + std::string(to_string(move.to));
    if (!move.machine.empty()) words += " on " + move.machine;
    if (!move.reason.empty()) words += ": " + move.reason;
    const auto kind = "allocation." + std::string(to_string(move.to));
    record_event(db, now_s, kind, std::nullopt, subject_of(move.id), words);
}

void end_allocation(
    Database& db,
    const Allocation& allocation,
    AllocationEnd end,
    const std::string& reason,
    std::int64_t now_s) {
    check_move("allocation", allocation.id, allocation.state, AllocationState::ended);
    db.execute(
        "UPDATE allocation SET state = 'ended', outcome = ?2, reason = ?3, ended_at_s = ?4 "
        "WHERE id = ?1 AND state <> 'ended'",
        allocation.id,
        end,
        reason,
        now_s);
    auto words = allocation.name + " of class " + allocation.machine_class +
                 " ended: " + std::string(to_string(end));
    if (!reason.empty()) words += ": " + reason;
    record_event(db, now_s, "allocation.ended", std::nullopt, subject_of(allocation.id), words);
}

AllocationPast load_allocation_past(
    Database& db, const std::string& machine_class, std::int64_t now_s) {
    AllocationPast past;
    const auto id = find_machine_class(db, machine_class);
    if (!id) return past;
    past.planned = *db.find<int>(
        "SELECT COUNT(*) FROM allocation WHERE machine_class_id = ?1 AND created_at_s > ?2",
        *id,
        now_s - hour_s);
    past.machine_s = *db.find<std::int64_t>(
        "SELECT COALESCE(SUM(COALESCE(ended_at_s, ?3) - started_at_s), 0) FROM allocation "
        "WHERE machine_class_id = ?1 AND created_at_s > ?2 AND started_at_s IS NOT NULL",
        *id,
        now_s - day_s,
        now_s);
    const auto newest = db.first<NewestEnd>(
        "SELECT outcome, ended_at_s, reason FROM allocation WHERE machine_class_id = ?1 "
        "AND created_at_s > ?2 AND state = 'ended' ORDER BY ended_at_s DESC LIMIT 1",
        *id,
        now_s - day_s);
    if (newest) {
        past.newest_end = newest->end;
        past.newest_ended_at_s = newest->at_s;
        past.newest_reason = newest->reason;
    }
    return past;
}

std::vector<ClassQueue> list_class_queues(Database& db, std::int64_t seen_after_s) {
    return db.all<ClassQueue>(
        "SELECT c.name, (SELECT COUNT(*) FROM job j WHERE j.machine_class_id = c.id "
        "AND j.state = 'queued' AND j.only_worker_id IS NULL) + (SELECT COUNT(*) FROM job j "
        "JOIN worker w ON w.id = j.worker_id WHERE j.state = 'leased' "
        "AND j.machine_class_id = c.id AND instr(w.name, '@') > 0), "
        "(SELECT COUNT(*) FROM worker w WHERE w.machine_class_id = c.id AND w.state = 'active' "
        "AND w.last_seen_at_s > ?1 AND instr(w.name, '@') = 0) FROM machine_class c ORDER BY c.id",
        seen_after_s);
}

std::vector<ProjectQueue> list_project_queue(Database& db, ProjectId project, int up_to_priority) {
    return db.all<ProjectQueue>(
        "SELECT c.name, COUNT(*) FROM machine_class c CROSS JOIN job j INDEXED BY job_waiting "
        "ON j.machine_class_id = c.id WHERE j.project_id = ?1 AND j.state = 'queued' AND "
        "j.priority <= ?2 "
        "AND j.only_worker_id IS NULL GROUP BY c.id",
        project,
        up_to_priority);
}

std::vector<WantedWorker> list_wanted_workers(Database& db) {
    return db.all<WantedWorker>(
        "SELECT w.name, j.project_id, max(j.priority) FROM job j "
        "JOIN worker w ON w.id = j.only_worker_id "
        "WHERE j.state = 'queued' AND j.only_worker_id IS NOT NULL AND instr(w.name, '@') > 0 "
        "GROUP BY w.id, j.project_id ORDER BY w.name");
}

std::vector<ExceptedWorker> list_excepted_workers(Database& db) {
    return db.all<ExceptedWorker>(
        "SELECT c.name, w.name, j.project_id, max(j.priority) FROM job j "
        "JOIN worker w ON w.id = j.except_worker_id "
        "JOIN machine_class c ON c.id = j.machine_class_id "
        "WHERE j.state = 'queued' AND j.except_worker_id IS NOT NULL "
        "GROUP BY c.id, w.id, j.project_id ORDER BY c.name, w.name");
}

bool was_seen_after(Database& db, const std::string& worker, std::int64_t at_s) {
    return db.has(
        "SELECT 1 FROM worker WHERE name = ?1 AND last_seen_at_s > ?2 LIMIT 1", worker, at_s);
}

bool has_left_since(Database& db, const std::string& worker, std::int64_t at_s) {
    return db.has(
        "SELECT 1 FROM worker WHERE name = ?1 AND state = 'draining' AND last_seen_at_s >= ?2 "
        "LIMIT 1",
        worker,
        at_s);
}

void note_left(Database& db, const std::string& worker) {
    db.execute(
        "UPDATE worker SET state = 'draining', reason = 'its allocation ended' "
        "WHERE name = ?1 AND state <> 'quarantined'",
        worker);
}

}  // namespace vigil::service
