#include "service/store/series/packed_values.hpp"

#include <algorithm>
#include <tuple>

namespace vigil::service {

namespace {

constexpr int nights_at_once = 32;  // a page holds about as many of a series
constexpr int series_in_slice = 25;

// Of a series: rows of one run that is gone, of these nights.
constexpr const char* loose_rows =
    "FROM night_value WHERE series_id = ?1 AND nightly_id BETWEEN ?2 AND ?3 AND run2_id IS NULL "
    "AND EXISTS (SELECT 1 FROM rolled_night r WHERE r.nightly_id = night_value.nightly_id "
    "AND r.ended_at_s IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM measurement m "
    "WHERE m.run_id = night_value.run_id AND m.series_id = night_value.series_id)";

struct WaitingNights {
    NightlyId first, last;
    int count = 0;
};

void add_row(Database& db, SeriesId series, const PackedRow& row) {
    const auto of = [&](std::size_t place, auto member) {
        return place < row.size() ? std::optional(row[place].*member) : std::nullopt;
    };
    const auto& first = row.front();
    db.execute(
        "INSERT INTO night_value(series_id, nightly_id, run_id, worker_id, environment_id, count, "
        "median, spread, run2_id, run3_id, median2, median3, spread2, spread3) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        series,
        first.nightly,
        first.run,
        first.worker,
        first.environment,
        first.count,
        first.median,
        first.spread,
        of(1, &RunValue::run),
        of(2, &RunValue::run),
        of(1, &RunValue::median),
        of(2, &RunValue::median),
        of(1, &RunValue::spread),
        of(2, &RunValue::spread));
}

void pack_series(Database& db, SeriesId series, const Packing& packing) {
    const std::string select =
        "SELECT nightly_id, run_id, worker_id, environment_id, count, "
        "median, spread ";
    auto rows =
        pack_rows(db.all<RunValue>(select + loose_rows, series, packing.first, packing.last));
    db.execute(std::string("DELETE ") + loose_rows, series, packing.first, packing.last);
    for (const auto& row : rows) add_row(db, series, row);
}

}  // namespace

std::vector<PackedRow> pack_rows(std::vector<RunValue> runs) {
    constexpr std::size_t most = 3;
    const auto kind = [](const RunValue& one) {
        return std::tuple(one.nightly, one.worker, one.environment, one.count);
    };
    std::sort(runs.begin(), runs.end(), [&](const RunValue& a, const RunValue& b) {
        return std::pair(kind(a), a.run) < std::pair(kind(b), b.run);
    });
    std::vector<PackedRow> rows;
    for (const auto& run : runs) {
        const bool is_alike =
            !rows.empty() && rows.back().size() < most && kind(rows.back().front()) == kind(run);
        if (!is_alike) rows.emplace_back();
        rows.back().push_back(run);
    }
    return rows;
}

std::optional<Packing> find_packing(Database& db) {
    auto going =
        db.first<Packing>("SELECT project_id, first_id, last_id, next_series_id FROM packing");
    if (going) return going;
    for (const auto project : db.all<ProjectId>("SELECT id FROM project ORDER BY id")) {
        const auto nights = db.first<WaitingNights>(
            "SELECT ifnull(min(id), 0), ifnull(max(id), 0), count(*) FROM (SELECT r.nightly_id "
            "AS id FROM rolled_night r INDEXED BY rolled_night_loose CROSS JOIN nightly n "
            "ON n.id = r.nightly_id WHERE r.packed = 0 AND r.ended_at_s IS NOT NULL "
            "AND n.project_id = ?1 ORDER BY r.nightly_id LIMIT ?2)",
            project,
            nights_at_once);
        if (!nights || nights->count < nights_at_once) continue;
        const Packing packing{project, nights->first, nights->last, SeriesId{0}};
        db.execute(
            "INSERT INTO packing(project_id, first_id, last_id, next_series_id) "
            "VALUES (?1, ?2, ?3, ?4)",
            packing);
        return packing;
    }
    return std::nullopt;
}

void pack_some(Database& db, const Packing& packing) {
    const auto series = db.all<SeriesId>(
        "SELECT id FROM series WHERE project_id = ?1 AND id >= ?2 ORDER BY id LIMIT ?3",
        packing.project,
        packing.next_series,
        series_in_slice);
    for (const auto one : series) pack_series(db, one, packing);
    if (!series.empty()) {
        db.execute(
            "UPDATE packing SET next_series_id = ?2 WHERE project_id = ?1",
            packing.project,
            SeriesId{series.back().value + 1});
        return;
    }
    db.execute(
        "UPDATE rolled_night INDEXED BY rolled_night_loose SET packed = 1 WHERE packed = 0 "
        "AND nightly_id BETWEEN ?2 AND ?3 "
        "AND ended_at_s IS NOT NULL AND (SELECT project_id FROM nightly "
        "WHERE id = rolled_night.nightly_id) = ?1",
        packing.project,
        packing.first,
        packing.last);
    db.execute("DELETE FROM packing WHERE project_id = ?1", packing.project);
}

}  // namespace vigil::service
