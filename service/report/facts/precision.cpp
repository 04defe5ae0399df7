#include "service/report/facts/precision.hpp"

#include <algorithm>
#include <cmath>

#include "bisect/stats/summary.hpp"
#include "service/store/database.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

constexpr int noisiest_shown = 5;
constexpr std::size_t spread_nights = 28;
constexpr std::int64_t day_s = 86'400;
constexpr std::int64_t week_s = 7 * day_s;

void count_suspicions(Database& db, PrecisionFacts& facts) {
    auto rows = db.query(
        "SELECT count(*), ifnull(sum(u.is_check), 0), "
        "ifnull(sum(u.verdict IN ('regression', 'broken', 'leak')), 0), "
        "ifnull(sum(u.verdict = 'drift'), 0), ifnull(sum(u.verdict = 'noise'), 0), "
        "ifnull(sum(u.verdict = 'environment'), 0), "
        "ifnull(sum(u.verdict IN ('improvement', 'fixed')), 0), "
        "ifnull(sum(u.verdict = 'watch' AND (u.session_id IS NOT NULL OR u.waits = '')), 0), "
        "ifnull(sum(u.verdict = 'watch' AND u.session_id IS NULL AND u.waits <> ''), 0), "
        "ifnull(sum(u.state <> 'ended'), 0) "
        "FROM suspicion u JOIN series s ON s.id = u.series_id "
        "WHERE (?1 IS NULL OR s.project_id = ?1) AND u.created_at_s >= ?2 AND u.created_at_s < ?3",
        facts.scope.project,
        facts.scope.since_s,
        facts.scope.until_s);
    VIGIL_ASSERT(rows.next());
    facts.suspicions = rows.get<int>(0);
    facts.checks = rows.get<int>(1);
    facts.confirmed = rows.get<int>(2);
    facts.drifts = rows.get<int>(3);
    facts.not_reproduced = rows.get<int>(4);
    facts.environment = rows.get<int>(5);
    facts.improvements = rows.get<int>(6);
    facts.undecided = rows.get<int>(7);
    facts.waited = rows.get<int>(8);
    facts.open = rows.get<int>(9);
}

// What a person said stands in the events: the state moves on. One whose series have joined another
// is that other.
void count_regressions(Database& db, PrecisionFacts& facts) {
    auto rows = db.query(
        "WITH said AS (SELECT g.id, g.state, "
        "EXISTS (SELECT 1 FROM event e WHERE e.subject = 'regression/' || g.id "
        "AND e.kind = 'regression.refuted') AS refuted, "
        "EXISTS (SELECT 1 FROM event e WHERE e.subject = 'regression/' || g.id "
        "AND e.kind IN ('regression.acknowledged', 'regression.accepted')) AS upheld, "
        "EXISTS (SELECT 1 FROM event e WHERE e.subject = 'regression/' || g.id "
        "AND e.kind = 'regression.not_reproduced') AS lost FROM regression g "
        "WHERE (?1 IS NULL OR g.project_id = ?1) AND g.created_at_s >= ?2 AND g.created_at_s < ?3 "
        "AND EXISTS (SELECT 1 FROM regression_series s WHERE s.regression_id = g.id)) "
        "SELECT count(*), ifnull(sum(refuted), 0), ifnull(sum(upheld AND NOT refuted), 0), "
        "ifnull(sum(lost AND NOT upheld AND NOT refuted), 0), "
        "ifnull(sum(state IN ('recovered', 'closed') AND NOT lost AND NOT upheld "
        "AND NOT refuted), 0) FROM said",
        facts.scope.project,
        facts.scope.since_s,
        facts.scope.until_s);
    VIGIL_ASSERT(rows.next());
    facts.regressions = rows.get<int>(0);
    facts.refuted = rows.get<int>(1);
    facts.upheld = rows.get<int>(2);
    facts.not_found_again = rows.get<int>(3);
    facts.recovered = rows.get<int>(4);
}

void time_verdicts(Database& db, PrecisionFacts& facts) {
    auto rows = db.query(
        "SELECT u.ended_at_s - (SELECT min(p.created_at_s) FROM suspicion p "
        "WHERE p.series_id = u.series_id AND p.good_nightly_id = u.good_nightly_id "
        "AND p.id <= u.id AND (p.id = u.id OR p.verdict = 'watch')) "
        "FROM suspicion u JOIN series s ON s.id = u.series_id "
        "WHERE (?1 IS NULL OR s.project_id = ?1) AND u.created_at_s >= ?2 AND u.created_at_s < ?3 "
        "AND u.session_id IS NOT NULL AND u.state = 'ended' AND u.verdict <> 'watch' "
        "AND u.ended_at_s IS NOT NULL",
        facts.scope.project,
        facts.scope.since_s,
        facts.scope.until_s);
    std::vector<double> took;
    while (rows.next()) took.push_back(static_cast<double>(rows.get<std::int64_t>(0)));
    facts.timed = static_cast<int>(took.size());
    if (took.empty()) return;
    facts.median_verdict_s = std::llround(stats::median(took));
    facts.slow_verdict_s = std::llround(stats::quantile(took, 0.9));
}

void count_runs(Database& db, PrecisionFacts& facts) {
    auto rows = db.query(
        "SELECT ifnull(sum(j.purpose = 'nightly'), 0), ifnull(sum(j.purpose = 'confirm'), 0), "
        "ifnull(sum(j.purpose IN ('probe', 'verify')), 0) FROM job j JOIN run r ON r.job_id = j.id "
        "WHERE (?1 IS NULL OR j.project_id = ?1) AND j.created_at_s >= ?2 AND j.created_at_s < ?3",
        facts.scope.project,
        facts.scope.since_s,
        facts.scope.until_s);
    VIGIL_ASSERT(rows.next());
    facts.nightly_runs = rows.get<std::int64_t>(0);
    facts.confirm_runs = rows.get<std::int64_t>(1);
    facts.search_runs = rows.get<std::int64_t>(2);
}

std::optional<double> spread_of(Database& db, SeriesId series) {
    const auto record = load_record(db, series);
    if (!record) return std::nullopt;
    auto level = detect::level_values(*record);
    level = level.last(std::min(level.size(), spread_nights));
    if (level.size() < 2) return std::nullopt;
    std::vector<double> logs;
    for (const double value : level) logs.push_back(std::log(value));
    return std::expm1(stats::spread(logs));
}

void list_noisiest(Database& db, PrecisionFacts& facts) {
    auto rows = db.query(
        "SELECT s.id, s.benchmark, s.variant, c.name, s.metric, sum(u.verdict = 'noise'), "
        "sum(u.verdict = 'watch'), sum((SELECT count(*) FROM job j JOIN run r ON r.job_id = j.id "
        "WHERE j.session_id = u.session_id)) FROM suspicion u JOIN series s ON s.id = u.series_id "
        "JOIN machine_class c ON c.id = s.machine_class_id "
        "WHERE (?1 IS NULL OR s.project_id = ?1) AND u.created_at_s >= ?2 AND u.created_at_s < ?3 "
        "AND u.session_id IS NOT NULL AND u.verdict IN ('noise', 'watch') "
        "GROUP BY s.id ORDER BY count(*) DESC, 8 DESC, s.id LIMIT ?4",
        facts.scope.project,
        facts.scope.since_s,
        facts.scope.until_s,
        noisiest_shown);
    while (rows.next()) {
        NoisySeriesFact one;
        one.id = rows.get<SeriesId>(0);
        one.benchmark = rows.get<std::string>(1);
        one.variant = rows.get<std::string>(2);
        one.machine_class = rows.get<std::string>(3);
        one.metric = rows.get<Metric>(4);
        one.not_reproduced = rows.get<int>(5);
        one.undecided = rows.get<int>(6);
        one.runs = rows.get<std::int64_t>(7);
        facts.noisiest.push_back(std::move(one));
    }
    for (auto& one : facts.noisiest) one.spread = spread_of(db, one.id);
}

}  // namespace

PrecisionFacts load_precision(Database& db, const PrecisionScope& scope) {
    PrecisionFacts facts;
    facts.scope = scope;
    facts.nights = db.find<int>(
                         "SELECT count(*) FROM night WHERE (?1 IS NULL OR project_id = ?1) "
                         "AND ended_at_s >= ?2 AND ended_at_s < ?3",
                         scope.project,
                         scope.since_s,
                         scope.until_s)
                       .value_or(0);
    count_suspicions(db, facts);
    count_regressions(db, facts);
    time_verdicts(db, facts);
    count_runs(db, facts);
    list_noisiest(db, facts);
    return facts;
}

std::optional<PrecisionScope> find_week_to_report(Database& db, NightlyId nightly) {
    auto rows = db.query(
        "SELECT project_id, ended_at_s FROM night WHERE id = ?1 AND ended_at_s IS NOT NULL",
        nightly);
    if (!rows.next()) return std::nullopt;
    const auto project = rows.get<ProjectId>(0);
    const auto ended_s = rows.get<std::int64_t>(1);
    // Day 0 was a Thursday.
    const std::int64_t week = (ended_s / day_s + 3) / 7;
    const std::int64_t monday_s = (7 * week - 3) * day_s;
    const auto newest_before = db.find<std::optional<std::int64_t>>(
        "SELECT max(ended_at_s) FROM night WHERE project_id = ?1 AND id <> ?2 "
        "AND (ended_at_s < ?3 OR (ended_at_s = ?3 AND id < ?2))",
        project,
        nightly,
        ended_s);
    const bool is_first = newest_before && *newest_before && **newest_before < monday_s;
    if (!is_first) return std::nullopt;
    return PrecisionScope{project, monday_s - week_s, monday_s};
}

}  // namespace vigil::service
