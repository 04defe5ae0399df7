#include "service/store/events.hpp"

namespace vigil::service {

EventId record_event(
    Database& db,
    std::int64_t now_s,
    std::string_view kind,
    std::optional<ProjectId> project,
    std::string_view subject,
    std::string_view message,
    const std::string& data_json) {
    db.execute(
        "INSERT INTO event(at_s, kind, project_id, subject, message, data) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        now_s,
        kind,
        project,
        subject,
        message,
        data_json);
    return EventId{db.last_insert_id()};
}

}  // namespace vigil::service
