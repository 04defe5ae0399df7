#include "service/watch/night/judge_outcomes.hpp"

#include <optional>
#include <string>
#include <vector>

#include "service/store/events.hpp"
#include "service/store/series/values.hpp"

namespace vigil::service {

namespace {

// A variant none of whose runs passed tonight.
struct Silent {
    std::string benchmark;
    std::string variant;
    MachineClassId machine_class;
    std::string outcome;
    std::string message;
};

std::vector<Silent> list_silent(Database& db, NightlyId nightly) {
    std::vector<Silent> silent;
    auto rows = db.query(
        "SELECT r.benchmark, r.variant, r.machine_class_id, MAX(r.outcome), MAX(r.message) "
        "FROM job j JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly' AND NOT EXISTS (SELECT 1 FROM left_out "
        "o WHERE o.nightly_id = ?1 AND o.worker_id IN (0, r.worker_id)) "
        "GROUP BY 1, 2, 3 "
        "HAVING SUM(r.outcome = 'passed') = 0 AND SUM(r.outcome <> 'unsupported') > 0",
        nightly);
    while (rows.next()) {
        silent.push_back(
            {rows.get<std::string>(0),
             rows.get<std::string>(1),
             rows.get<MachineClassId>(2),
             rows.get<std::string>(3),
             rows.get<std::string>(4)});
    }
    return silent;
}

std::optional<SeriesId> find_series(
    Database& db, ProjectId project, const Silent& silent, Metric metric) {
    return db.find<SeriesId>(
        "SELECT id FROM series WHERE project_id = ?1 AND benchmark = ?2 AND variant = ?3 "
        "AND machine_class_id = ?4 AND metric = ?5 ORDER BY definition DESC LIMIT 1",
        project,
        silent.benchmark,
        silent.variant,
        silent.machine_class,
        metric);
}

// The last night before whose runs of it count must have run: what has long been broken is no news.
std::optional<NightValues> last_night(Database& db, SeriesId series, NightlyId nightly) {
    auto rows = db.query(
        "SELECT id FROM night WHERE id < ?1 AND state <> 'failed' AND project_id = "
        "(SELECT project_id FROM series WHERE id = ?2) ORDER BY id DESC LIMIT ?3",
        nightly,
        series,
        level_window);
    while (rows.next()) {
        const auto before = rows.get<NightlyId>(0);
        if (is_left_out(db, before, series)) continue;
        auto nights = load_level(db, series, before);
        if (nights.empty() || nights.back().nightly != before) return std::nullopt;
        return nights.back();
    }
    return std::nullopt;
}

}  // namespace

int judge_outcomes(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s) {
    int opened = 0;
    const auto project =
        *db.find<ProjectId>("SELECT project_id FROM nightly WHERE id = ?1", nightly);
    for (const auto& silent : list_silent(db, nightly)) {
        for (const auto metric : config.judged) {
            const auto series = find_series(db, project, silent, metric);
            if (!series) continue;
            const auto good = last_night(db, *series, nightly);
            if (!good) continue;
            const std::string reason = "it no longer runs: " + silent.outcome +
                                       (silent.message.empty() ? "" : " (" + silent.message + ")");
            db.execute(
                "INSERT INTO suspicion(series_id, nightly_id, good_nightly_id, kind, state, base, "
                "value, change_ratio, reason, created_at_s, old_nights) "
                "VALUES (?1, ?2, ?3, 'outcome', 'open', ?4, ?4, 0, ?5, ?6, '[' || ?3 || ']')",
                *series,
                nightly,
                good->nightly,
                good->value,
                reason,
                now_s);
            record_event(
                db,
                now_s,
                "suspicion.opened",
                project,
                "suspicion/" + std::to_string(db.last_insert_id()),
                words_of(db, load_series(db, *series)) + ": " + reason);
            ++opened;
            break;  // one series stands for the variant
        }
    }
    return opened;
}

}  // namespace vigil::service
