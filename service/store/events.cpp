#include "service/store/events.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_event_text_bytes = 4000;

/// Cut between two characters.
std::string_view shortened(std::string_view text) {
    if (text.size() <= max_event_text_bytes) return text;
    auto end = max_event_text_bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
    return text.substr(0, end);
}

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
        shortened(subject),
        shortened(message),
        data_json);
    return EventId{db.last_insert_id()};
}

}  // namespace vigil::service
