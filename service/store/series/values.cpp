#include "service/store/series/values.hpp"

#include "bisect/stats/summary.hpp"
#include "service/store/series/levels.hpp"

namespace vigil::service {

namespace {

// A run `r` of a nightly's job `j` is left out of every judgement.
const std::string left_out =
    "EXISTS (SELECT 1 FROM left_out o WHERE o.nightly_id = j.nightly_id "
    "AND o.worker_id IN (0, r.worker_id)) ";

struct NightValue {
    NightlyId nightly;
    BuildId build;
    double value = 0;
};

struct VariantWorker {
    ClassVariant variant;
    WorkerId worker;
};

struct SeriesValue {
    SeriesRow series;
    double value = 0;
};

std::vector<NightValues> load_nights(
    Database& db,
    SeriesId series,
    NightlyId from,
    NightlyId until,
    int limit,
    const std::string& where = " AND NOT ") {
    const auto values = db.all<NightValue>(
        "SELECT v.nightly_id, n.build_id, v.median FROM night_run v "
        "CROSS JOIN night n ON n.id = v.nightly_id WHERE v.series_id = ?1 "
        "AND v.nightly_id BETWEEN max(?2, ifnull((SELECT id FROM night WHERE project_id = "
        "(SELECT project_id FROM series WHERE id = ?1) AND id <= ?3 ORDER BY id DESC "
        "LIMIT 1 OFFSET ?4 - 1), 0)) AND ?3" +
            where +
            "EXISTS (SELECT 1 FROM left_out o WHERE o.nightly_id = v.nightly_id "
            "AND o.worker_id IN (0, v.worker_id)) ORDER BY v.nightly_id, v.run_id",
        series,
        from,
        until,
        limit);
    std::vector<NightValues> nights;
    for (const auto& [nightly, build, value] : values) {
        if (nights.empty() || nights.back().nightly != nightly) {
            nights.push_back({nightly, build, {}, 0});
        }
        nights.back().runs.push_back(value);
    }
    for (auto& night : nights) night.value = stats::median(night.runs);
    return nights;
}

}  // namespace

std::vector<SeriesRow> list_series_of(Database& db, NightlyId nightly) {
    return db.all<SeriesRow>(
        std::string("SELECT DISTINCT ") + series_columns +
            " FROM job j JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
            "JOIN judged_measurement m ON m.run_id = r.id JOIN series s ON s.id = m.series_id "
            "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly' AND NOT " +
            left_out + "ORDER BY s.id",
        nightly);
}

std::map<ClassVariant, WorkerId> list_workers_of(Database& db, NightlyId nightly) {
    std::map<ClassVariant, WorkerId> workers;
    for (auto& [variant, worker] : db.all<VariantWorker>(
             "SELECT r.benchmark, r.variant, r.machine_class_id, r.worker_id FROM job j "
             "JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt WHERE j.nightly_id = ?1 "
             "AND j.purpose = 'nightly' ORDER BY r.id",
             nightly)) {
        workers.try_emplace(std::move(variant), worker);
    }
    return workers;
}

std::vector<SeriesValues> list_values_of(Database& db, NightlyId nightly) {
    const auto values = db.all<SeriesValue>(
        std::string("SELECT ") + series_columns +
            ", v.median FROM nightly n CROSS JOIN series s ON s.project_id = n.project_id "
            "CROSS JOIN night_run v ON v.series_id = s.id AND v.nightly_id = n.id "
            "WHERE n.id = ?1 AND NOT EXISTS (SELECT 1 FROM left_out o WHERE o.nightly_id = ?1 "
            "AND o.worker_id IN (0, v.worker_id)) ORDER BY s.id, v.run_id",
        nightly);
    std::vector<SeriesValues> found;
    for (const auto& [series, value] : values) {
        if (found.empty() || found.back().series.id != series.id) found.push_back({series, {}});
        found.back().runs.push_back(value);
    }
    return found;
}

std::vector<NightValues> load_level(Database& db, SeriesId series, NightlyId until, int limit) {
    return load_nights(db, series, find_level_start(db, series, until), until, limit);
}

std::vector<NightValues> load_history(Database& db, SeriesId series, NightlyId until, int limit) {
    return load_nights(db, series, NightlyId{0}, until, limit);
}

std::vector<NightValues> load_left_out(Database& db, SeriesId series, NightlyId until, int limit) {
    // Few nights have something left out: the others are passed over before their runs are read.
    static const std::string where =
        " AND EXISTS (SELECT 1 FROM left_out o WHERE o.nightly_id = n.id) AND ";
    return load_nights(db, series, NightlyId{0}, until, limit, where);
}

bool is_left_out(Database& db, NightlyId nightly, SeriesId series) {
    return db.has(
        "SELECT 1 FROM left_out WHERE nightly_id = ?1 AND worker_id IN (0, (SELECT r.worker_id "
        "FROM series s JOIN nightly n ON n.id = ?1 "
        "JOIN run r ON r.build_id = n.build_id AND r.benchmark = s.benchmark "
        "AND r.variant = s.variant AND r.machine_class_id = s.machine_class_id "
        "JOIN job j ON j.id = r.job_id AND j.attempt = r.attempt AND j.nightly_id = ?1 "
        "AND j.purpose = 'nightly' WHERE s.id = ?2 ORDER BY r.id LIMIT 1)) LIMIT 1",
        nightly,
        series);
}

std::optional<double> find_night_value(Database& db, SeriesId series, NightlyId nightly) {
    const auto nights = load_nights(db, series, nightly, nightly, 1);
    return nights.empty() ? std::nullopt : std::optional(nights.back().value);
}

std::optional<NightlyId> find_silent_night(
    Database& db, SeriesId series, NightlyId after, NightlyId before, int limit) {
    return db.find<NightlyId>(
        "SELECT n.id FROM (SELECT n.id, n.build_id FROM night n WHERE n.project_id = "
        "(SELECT project_id FROM series WHERE id = ?1) AND n.id > ?2 AND n.id < ?3 "
        "ORDER BY n.id DESC LIMIT ?4) n CROSS JOIN series s ON s.id = ?1 "
        "CROSS JOIN run r ON r.build_id = n.build_id AND r.benchmark = s.benchmark "
        "AND r.variant = s.variant AND r.machine_class_id = s.machine_class_id "
        "CROSS JOIN job j ON j.id = r.job_id AND j.attempt = r.attempt AND j.nightly_id = n.id "
        "AND j.purpose = 'nightly' GROUP BY n.id HAVING SUM(r.outcome = 'passed') = 0 "
        "AND SUM(r.outcome <> 'unsupported') > 0 ORDER BY n.id DESC LIMIT 1",
        series,
        after,
        before,
        limit);
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
