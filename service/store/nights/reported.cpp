#include "service/store/nights/reported.hpp"

namespace vigil::service {

ReportedNight load_reported_night(Database& db, NightlyId nightly) {
    return db.load<ReportedNight>(
        "nightly",
        "SELECT n.id, n.project_id, p.name, n.version, n.name, n.revision, coalesce(n.beside, ''), "
        "n.state, n.message, n.created_at_s, coalesce(n.ended_at_s, 0), coalesce((SELECT o.version "
        "FROM nightly o WHERE o.project_id = n.project_id AND o.revision = n.revision "
        "AND o.id < n.id ORDER BY o.id DESC LIMIT 1), ''), n.compared_series "
        "FROM nightly n JOIN project p ON p.id = n.project_id WHERE n.id = ?1",
        nightly);
}

EndFact load_end_fact(Database& db, BuildId build) {
    return db
        .first<EndFact>(
            "SELECT b.revision, coalesce(n.version, ''), coalesce(n.name, '') "
            "FROM build b LEFT JOIN nightly n ON n.build_id = b.id "
            "WHERE b.id = ?1 ORDER BY n.beside IS NOT NULL, n.id LIMIT 1",
            build)
        .value_or(EndFact{});
}

std::vector<std::string> list_series_notes(Database& db, NightlyId nightly, int limit) {
    return db.all<std::string>(
        "SELECT message FROM event WHERE subject = ?1 "
        "AND kind IN ('series.new', 'series.gone', 'series.changed') ORDER BY id LIMIT ?2",
        "nightly/" + to_string(nightly),
        limit);
}

std::optional<EndedNight> find_ended_night(Database& db, NightlyId night) {
    return db.first<EndedNight>(
        "SELECT project_id, ended_at_s FROM night WHERE id = ?1 AND ended_at_s IS NOT NULL", night);
}

std::optional<std::int64_t> find_ended_before_s(
    Database& db, NightlyId night, const EndedNight& ended) {
    return db.find<std::int64_t>(
        "SELECT max(ended_at_s) FROM night WHERE project_id = ?1 AND id <> ?2 "
        "AND (ended_at_s < ?3 OR (ended_at_s = ?3 AND id < ?2))",
        ended.project,
        night,
        ended.ended_at_s);
}

}  // namespace vigil::service
