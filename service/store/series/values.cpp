#include "service/store/series/values.hpp"

#include "bisect/stats/summary.hpp"
#include "service/store/ids.hpp"

namespace vigil::service {

namespace {

// A run `r` of a nightly's job `j`.
constexpr const char* trusted =
    " AND NOT EXISTS (SELECT 1 FROM left_out o WHERE o.nightly_id = j.nightly_id "
    "AND o.worker_id IN (0, r.worker_id)) ";
constexpr const char* not_trusted =
    " AND EXISTS (SELECT 1 FROM left_out o WHERE o.nightly_id = j.nightly_id "
    "AND o.worker_id IN (0, r.worker_id)) ";

// Gathers rows (nightly, build, median) that come night by night.
std::vector<NightValues> gather(Query& rows) {
    std::vector<NightValues> nights;
    while (rows.next()) {
        const auto nightly = rows.get<NightlyId>(0);
        if (nights.empty() || nights.back().nightly != nightly) {
            nights.push_back({nightly, rows.get<BuildId>(1), {}, 0});
        }
        nights.back().runs.push_back(rows.get<double>(2));
    }
    for (auto& night : nights) night.value = stats::median(night.runs);
    return nights;
}

std::vector<NightValues> load_nights(
    Database& db,
    SeriesId series,
    NightlyId from,
    NightlyId until,
    int limit,
    const char* which = trusted) {
    // By the builds of the nights and an index on runs: the jobs of a night are those of all
    // series.
    auto rows = db.query(
        std::string("SELECT n.id, n.build_id, m.median FROM (SELECT n.id, n.build_id FROM night n "
                    "WHERE n.project_id = (SELECT project_id FROM series WHERE id = ?1) "
                    "AND n.id BETWEEN ?2 AND ?3 ORDER BY n.id DESC LIMIT ?4) n CROSS JOIN series s "
                    "ON s.id = "
                    "?1 "
                    "CROSS JOIN run r ON r.build_id = n.build_id AND r.benchmark = s.benchmark "
                    "AND r.variant = s.variant AND r.machine_class_id = s.machine_class_id "
                    "AND r.outcome = 'passed' "
                    "CROSS JOIN job j ON j.id = r.job_id AND j.attempt = r.attempt "
                    "AND j.nightly_id = n.id AND j.purpose = 'nightly'") +
            which +
            "CROSS JOIN judged_measurement m ON m.run_id = r.id AND m.series_id = ?1 "
            "ORDER BY n.id, r.id",
        series,
        from,
        until,
        limit);
    return gather(rows);
}

NightlyId level_start(Database& db, SeriesId series, NightlyId until) {
    const auto start = db.find<NightlyId>(
        "SELECT nightly_id FROM baseline WHERE series_id = ?1 AND kind = 'rolling' "
        "AND withdrawn = 0 AND nightly_id <= ?2 ORDER BY id DESC LIMIT 1",
        series,
        until);
    return start.value_or(NightlyId{0});
}

}  // namespace

SeriesRow read_series(const Query& row) {
    return {
        row.get<SeriesId>(0),
        row.get<ProjectId>(1),
        row.get<std::string>(2),
        row.get<std::string>(3),
        row.get<MachineClassId>(4),
        row.get<Metric>(5),
        row.get<Direction>(6)};
}

SeriesRow load_series(Database& db, SeriesId series) {
    auto rows = db.query(
        "SELECT " + std::string(series_columns) + " FROM series s WHERE s.id = ?1", series);
    if (!rows.next()) throw Error(Errc::not_found, "there is no series " + to_string(series));
    return read_series(rows);
}

std::string words_of(Database& db, const SeriesRow& series) {
    return series.benchmark + " " + series.variant + " on " +
           load_machine_class_name(db, series.machine_class) + ", " +
           std::string(to_string(series.metric));
}

std::vector<SeriesRow> list_series_of(Database& db, NightlyId nightly) {
    auto rows = db.query(
        "SELECT DISTINCT " + std::string(series_columns) +
            " FROM job j JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
            "JOIN judged_measurement m ON m.run_id = r.id JOIN series s ON s.id = m.series_id "
            "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly'" +
            trusted + "ORDER BY s.id",
        nightly);
    std::vector<SeriesRow> found;
    while (rows.next()) found.push_back(read_series(rows));
    return found;
}

std::optional<WorkerId> worker_of(Database& db, NightlyId nightly, SeriesId series) {
    return db.find<WorkerId>(
        "SELECT r.worker_id FROM series s JOIN nightly n ON n.id = ?1 "
        "JOIN run r ON r.build_id = n.build_id AND r.benchmark = s.benchmark "
        "AND r.variant = s.variant AND r.machine_class_id = s.machine_class_id "
        "JOIN job j ON j.id = r.job_id AND j.attempt = r.attempt AND j.nightly_id = ?1 "
        "AND j.purpose = 'nightly' WHERE s.id = ?2 ORDER BY r.id LIMIT 1",
        nightly,
        series);
}

std::vector<SeriesValues> list_values_of(Database& db, NightlyId nightly) {
    auto rows = db.query(
        "SELECT " + std::string(series_columns) +
            ", m.median FROM job j JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
            "JOIN judged_measurement m ON m.run_id = r.id JOIN series s ON s.id = m.series_id "
            "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly' AND r.outcome = 'passed'" +
            trusted + "ORDER BY s.id, r.id",
        nightly);
    std::vector<SeriesValues> found;
    while (rows.next()) {
        if (found.empty() || found.back().series.id != rows.get<SeriesId>(0)) {
            found.push_back({read_series(rows), {}});
        }
        found.back().runs.push_back(rows.get<double>(7));
    }
    return found;
}

std::vector<NightValues> load_level(Database& db, SeriesId series, NightlyId until, int limit) {
    return load_nights(db, series, level_start(db, series, until), until, limit);
}

std::vector<NightValues> load_history(Database& db, SeriesId series, NightlyId until, int limit) {
    return load_nights(db, series, NightlyId{0}, until, limit);
}

std::vector<NightValues> load_left_out(Database& db, SeriesId series, NightlyId until, int limit) {
    return load_nights(db, series, NightlyId{0}, until, limit, not_trusted);
}

bool is_left_out(Database& db, NightlyId nightly, SeriesId series) {
    return db
        .find<int>(
            "SELECT 1 FROM left_out WHERE nightly_id = ?1 AND worker_id IN (0, ?2) LIMIT 1",
            nightly,
            worker_of(db, nightly, series))
        .has_value();
}

std::optional<double> find_night_value(Database& db, SeriesId series, NightlyId nightly) {
    const auto nights = load_nights(db, series, nightly, nightly, 1);
    return nights.empty() ? std::nullopt : std::optional(nights.back().value);
}

std::optional<NightlyId> find_pinned(Database& db, SeriesId series) {
    return db.find<NightlyId>(
        "SELECT nightly_id FROM baseline WHERE series_id = ?1 AND kind = 'pinned' "
        "ORDER BY id DESC LIMIT 1",
        series);
}

std::vector<NightlyId> list_level_starts(Database& db, SeriesId series) {
    std::vector<NightlyId> starts;
    auto rows = db.query(
        "SELECT DISTINCT nightly_id FROM baseline WHERE series_id = ?1 AND kind = 'rolling' "
        "AND withdrawn = 0 ORDER BY nightly_id",
        series);
    while (rows.next()) starts.push_back(rows.get<NightlyId>(0));
    return starts;
}

detect::RunNoise run_noise(const std::vector<NightValues>& nights, Direction direction) {
    std::vector<detect::RunScatter> scatter;
    for (const auto& night : nights) {
        std::vector<double> runs;
        for (const double run : night.runs) runs.push_back(detect::badness(run, direction));
        scatter.push_back(detect::scatter_of(runs));
    }
    return detect::learn_run_noise(scatter);
}

}  // namespace vigil::service
