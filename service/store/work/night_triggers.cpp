#include "service/store/work/night_triggers.hpp"

namespace vigil::service {

bool has_waiting_trigger(Database& db, ProjectId project) {
    return db
        .find<int>(
            "SELECT 1 FROM trigger_request WHERE +project_id = ?1 AND state = 'waiting' LIMIT 1",
            project)
        .has_value();
}

std::optional<std::string> find_newest_trigger_message(Database& db, ProjectId project) {
    return db.find<std::string>(
        "SELECT message FROM trigger_request WHERE project_id = ?1 ORDER BY id DESC LIMIT 1",
        project);
}

std::optional<std::int64_t> find_newest_answer_s(Database& db, ProjectId project) {
    return db.find<std::int64_t>(
        "SELECT MAX(ended_at_s) FROM trigger_request WHERE project_id = ?1 "
        "AND state = 'done' AND nightly_id IN (SELECT id FROM night)",
        project);
}

}  // namespace vigil::service
