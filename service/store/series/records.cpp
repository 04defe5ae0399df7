#include "service/store/series/records.hpp"

namespace vigil::service {

std::optional<RecordRow> find_record(Database& db, SeriesId series) {
    auto row =
        db.query("SELECT nightly_id, record FROM series_record WHERE series_id = ?1", series);
    if (!row.next()) return std::nullopt;
    return RecordRow{row.get<NightlyId>(0), detect::read_record(row.get<Blob>(1))};
}

void store_record(
    Database& db, SeriesId series, NightlyId newest, const detect::SeriesRecord& record) {
    const auto bytes = detect::write_record(record);
    db.execute(
        "INSERT INTO series_record(series_id, nightly_id, record) VALUES (?1, ?2, ?3) "
        "ON CONFLICT(series_id) DO UPDATE SET nightly_id = excluded.nightly_id, "
        "record = excluded.record",
        series,
        newest,
        Blob(bytes));
}

void drop_record(Database& db, SeriesId series) {
    db.execute("DELETE FROM series_record WHERE series_id = ?1", series);
}

void mark_stale(Database& db, NightlyId nightly, std::optional<WorkerId> worker) {
    db.execute(
        "INSERT OR IGNORE INTO stale_record(series_id) SELECT m.series_id FROM job j "
        "JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
        "JOIN measurement m ON m.run_id = r.id WHERE j.nightly_id = ?1 AND j.purpose = 'nightly' "
        "AND (?2 IS NULL OR r.worker_id = ?2)",
        nightly,
        worker);
}

void mark_stale(Database& db, SeriesId series) {
    db.execute("INSERT OR IGNORE INTO stale_record(series_id) VALUES (?1)", series);
}

bool unmark_stale(Database& db, SeriesId series) {
    return db.execute("DELETE FROM stale_record WHERE series_id = ?1", series) > 0;
}

bool has_stale(Database& db, ProjectId project) {
    return db.has(
        "SELECT 1 FROM stale_record x JOIN series s ON s.id = x.series_id "
        "WHERE s.project_id = ?1 LIMIT 1",
        project);
}

std::vector<StaleRecord> list_stale(Database& db, int limit) {
    return db.all<StaleRecord>(
        "SELECT x.series_id, p.name, r.nightly_id FROM stale_record x "
        "JOIN series s ON s.id = x.series_id JOIN project p ON p.id = s.project_id "
        "LEFT JOIN series_record r ON r.series_id = x.series_id WHERE NOT EXISTS (SELECT 1 "
        "FROM suspicion u WHERE u.series_id = x.series_id AND u.nightly_id = r.nightly_id "
        "AND u.state <> 'ended') LIMIT ?1",
        limit);
}

}  // namespace vigil::service
