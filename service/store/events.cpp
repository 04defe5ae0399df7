#include "service/store/events.hpp"

#include "schema/text/characters.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_event_text_bytes = 4000;

}  // namespace

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
        text::first_bytes(subject, max_event_text_bytes),
        text::first_bytes(message, max_event_text_bytes),
        data_json);
    return EventId{db.last_insert_id()};
}

}  // namespace vigil::service
