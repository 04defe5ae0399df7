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

std::vector<EventLine> list_events_after(Database& db, EventId after, int limit) {
    return db.all<EventLine>(
        "SELECT e.id, e.kind, p.name, e.subject, e.message FROM event e "
        "LEFT JOIN project p ON p.id = e.project_id WHERE e.id > ?1 "
        "AND NOT EXISTS (SELECT 1 FROM trouble t WHERE t.kind = e.kind "
        "AND t.subject = e.subject AND t.since_s = e.at_s) ORDER BY e.id LIMIT ?2",
        after,
        limit);
}

EventId find_newest_event(Database& db) {
    return db.find<EventId>("SELECT MAX(id) FROM event").value_or(EventId{});
}

}  // namespace vigil::service
