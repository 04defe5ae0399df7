#include "service/store/lists/queue.hpp"

namespace vigil::service {

std::vector<QueueGroup> list_queue(Database& db, int limit) {
    return db.all<QueueGroup>(
        "SELECT j.state, j.purpose, p.name, p.id, c.id, c.name, iif(j.state = 'parked', j.message, "
        "''),"
        " count(*), max(j.priority), min(j.created_at_s) FROM job j INDEXED BY job_rare"
        " JOIN project p ON p.id = j.project_id"
        " JOIN machine_class c ON c.id = j.machine_class_id"
        " WHERE j.state <> 'done' AND j.state IN {jobs_in_queue} GROUP BY 1, 2, 3, 5, 7"
        " ORDER BY j.state = 'queued', j.state = 'leased', count(*) DESC, 3, 6, 2 LIMIT ?1",
        limit);
}

}  // namespace vigil::service
