#include "service/report/facts/night_facts.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/report/facts/marker.hpp"
#include "service/report/facts/regression_facts.hpp"
#include "service/store/database.hpp"
#include "service/store/ids.hpp"
#include "service/store/nights/withdrawals.hpp"
#include "service/store/series/values.hpp"
#include "service/watch/night/night_words.hpp"

namespace vigil::service {

namespace {

constexpr int max_missing = 200;  // of each kind; the summary shows fewer

ProjectId load_row(Database& db, NightlyId nightly, NightFacts& facts) {
    Query row = db.query(
        "SELECT n.project_id, p.name, n.version, n.name, n.revision, n.state, n.message, "
        "n.created_at_s, n.ended_at_s, (SELECT o.version FROM nightly o WHERE o.project_id = "
        "n.project_id AND o.revision = n.revision AND o.id < n.id ORDER BY o.id DESC LIMIT 1), "
        "n.beside, n.compared_series FROM nightly n JOIN project p ON p.id = n.project_id WHERE "
        "n.id = ?1",
        nightly);
    if (!row.next()) {
        throw Error(Errc::not_found, "loading nightly " + to_string(nightly) + ": there is none");
    }
    facts.id = nightly;
    facts.project = row.get<std::string>(1);
    facts.version = row.get<std::string>(2);
    facts.name = row.get<std::string>(3);
    facts.revision = row.get<Revision>(4);
    facts.state = row.get<NightlyState>(5);
    facts.message = row.get<std::string>(6);
    facts.started_at_s = row.get<std::int64_t>(7);
    facts.ended_at_s = row.get<std::optional<std::int64_t>>(8).value_or(0);
    facts.same_revision_as = row.get<std::optional<std::string>>(9).value_or("");
    facts.beside = row.get<std::optional<std::string>>(10).value_or("");
    facts.compared_series = row.get<std::optional<std::int64_t>>(11);
    return row.get<ProjectId>(0);
}

void load_work(Database& db, NightFacts& facts) {
    Query jobs = db.query(
        "SELECT purpose, state, count(*) FROM job WHERE nightly_id = ?1 GROUP BY 1, 2", facts.id);
    while (jobs.next()) {
        facts.work[jobs.get<Purpose>(0)].jobs[jobs.get<JobState>(1)] = jobs.get<int>(2);
    }
    Query runs = db.query(
        "SELECT j.purpose, r.outcome, count(*) FROM job j JOIN run r ON r.job_id = j.id "
        "WHERE j.nightly_id = ?1 GROUP BY 1, 2",
        facts.id);
    while (runs.next()) {
        const auto purpose = runs.get<Purpose>(0);
        facts.work[purpose].runs += runs.get<std::int64_t>(2);
        if (purpose == Purpose::nightly) facts.outcomes[runs.get<Outcome>(1)] = runs.get<int>(2);
    }
    Query spent = db.query(
        "SELECT j.purpose, sum(a.ended_at_s - a.claimed_at_s) FROM job j "
        "JOIN attempt a ON a.job_id = j.id WHERE j.nightly_id = ?1 AND a.ended_at_s IS NOT NULL "
        "GROUP BY 1",
        facts.id);
    while (spent.next()) {
        facts.work[spent.get<Purpose>(0)].machine_s = spent.get<std::int64_t>(1);
    }
}

bool is_judged(const ProjectConfig* project, Metric metric) {
    return project == nullptr ||
           std::find(project->judged.begin(), project->judged.end(), metric) !=
               project->judged.end();
}

void load_measured(Database& db, NightFacts& facts, const ProjectConfig* project) {
    Query metrics = db.query(
        "SELECT s.metric, count(*), sum(NOT EXISTS (SELECT 1 FROM measurement m "
        "JOIN run r ON r.id = m.run_id JOIN job j ON j.id = r.job_id AND j.purpose = 'nightly' "
        "JOIN night o ON o.id = j.nightly_id AND o.id < ?1 WHERE m.series_id = s.id "
        "AND m.run_id < (SELECT max(t.id) FROM job k JOIN run t ON t.job_id = k.id "
        "WHERE k.nightly_id = ?1 AND k.purpose = 'nightly'))) "
        "FROM series s WHERE s.id IN (SELECT m.series_id FROM job j "
        "JOIN run r ON r.job_id = j.id JOIN judged_measurement m ON m.run_id = r.id "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly') GROUP BY 1",
        facts.id);
    while (metrics.next()) {
        if (!is_judged(project, metrics.get<Metric>(0))) continue;
        facts.measured_series += metrics.get<std::int64_t>(1);
        facts.first_series += metrics.get<std::int64_t>(2);
    }
}

void load_values(Database& db, NightFacts& facts, const ProjectConfig* project) {
    for (const auto& [series, runs] : list_values_of(db, facts.id)) {
        if (!is_judged(project, series.metric)) continue;
        facts.values.push_back(
            {series.benchmark,
             series.variant,
             load_machine_class_name(db, series.machine_class),
             series.metric,
             stats::median(runs),
             runs.size()});
    }
}

void load_changes(Database& db, NightFacts& facts) {
    Query row = db.query(
        "SELECT s.benchmark, s.variant, c.name, s.metric, u.verdict, u.change_ratio, u.confirmed, "
        "u.waits FROM suspicion u JOIN series s ON s.id = u.series_id "
        "JOIN machine_class c ON c.id = s.machine_class_id WHERE u.nightly_id = ?1 ORDER BY u.id",
        facts.id);
    while (row.next()) {
        NightChangeFact change;
        change.benchmark = row.get<std::string>(0);
        change.variant = row.get<std::string>(1);
        change.machine_class = row.get<std::string>(2);
        change.metric = row.get<Metric>(3);
        change.verdict = row.get<std::optional<Verdict>>(4);
        change.change_ratio = row.get<double>(5);
        const auto confirmed = wire::parse_comparison(
            wire::parse_json(row.get<std::string>(6), "suspicion.confirmed"));
        if (confirmed.runs_before > 0) change.change_ratio = confirmed.change_ratio;
        change.waits = row.get<std::string>(7);
        facts.changes.push_back(std::move(change));
    }
}

void load_drifts(Database& db, NightFacts& facts) {
    Query row = db.query(
        "SELECT s.benchmark, s.variant, c.name, s.metric, d.kind, n.name, d.change_ratio, d.low, "
        "d.high FROM drift d JOIN series s ON s.id = d.series_id "
        "JOIN machine_class c ON c.id = s.machine_class_id "
        "JOIN nightly n ON n.id = d.since_nightly_id WHERE d.nightly_id = ?1 ORDER BY d.id",
        facts.id);
    while (row.next()) {
        facts.drifts.push_back(
            {row.get<std::string>(0),
             row.get<std::string>(1),
             row.get<std::string>(2),
             row.get<Metric>(3),
             row.get<std::string>(4),
             row.get<std::string>(5),
             row.get<double>(6),
             row.get<double>(7),
             row.get<double>(8)});
    }
}

void load_storms(Database& db, NightFacts& facts) {
    Query row = db.query(
        "SELECT w.name, x.state, x.series, x.suspicious, x.moved_ratio, x.rebased, x.message "
        "FROM storm x JOIN worker w ON w.id = x.worker_id WHERE x.nightly_id = ?1 ORDER BY x.id",
        facts.id);
    while (row.next()) {
        facts.storms.push_back(
            {row.get<std::string>(0),
             row.get<StormState>(1),
             row.get<int>(2),
             row.get<int>(3),
             row.get<double>(4),
             row.get<int>(5),
             row.get<std::string>(6)});
    }
}

void load_regressions(Database& db, ProjectId project, NightFacts& facts) {
    Query row = db.query(
        "SELECT g.id, g.state, g.culprit, g.nightly_id = ?2, n.name, "
        "(SELECT max(rs.recovered_nightly_id) = ?2 AND count(*) = count(rs.recovered_nightly_id) "
        "FROM regression_series rs WHERE rs.regression_id = g.id), "
        "(SELECT r.title FROM report r WHERE r.regression_id = g.id ORDER BY r.version DESC "
        "LIMIT 1), (SELECT o.external_ref FROM outbox o JOIN report r ON r.id = o.report_id "
        "WHERE r.regression_id = g.id AND o.external_ref LIKE 'http%' ORDER BY r.version DESC, "
        "o.id LIMIT 1), (SELECT count(*) FROM regression_series rs WHERE rs.regression_id = g.id "
        "AND rs.recovered_nightly_id = ?2), (SELECT count(*) FROM regression_series rs "
        "WHERE rs.regression_id = g.id) FROM regression g JOIN nightly n ON n.id = g.nightly_id "
        "WHERE g.id IN (SELECT id FROM regression WHERE project_id = ?1 AND state IN ('confirmed', "
        "'searching', 'attributed', 'range', 'reported', 'acknowledged') "
        "UNION SELECT id FROM regression WHERE nightly_id = ?2 "
        "UNION SELECT regression_id FROM regression_series WHERE recovered_nightly_id = ?2) "
        "AND g.nightly_id <= ?2 AND EXISTS "  // else it joined another
        "(SELECT 1 FROM regression_series s WHERE s.regression_id = g.id) ORDER BY g.id DESC",
        project,
        facts.id);
    while (row.next()) {
        NightRegressionFact regression;
        regression.id = row.get<RegressionId>(0);
        regression.state = row.get<RegressionState>(1);
        regression.culprit = row.get<std::optional<Revision>>(2);
        regression.tonight = row.get<bool>(3);
        regression.found_night = row.get<std::string>(4);
        regression.recovered = row.get<std::optional<bool>>(5).value_or(false);
        regression.title = row.get<std::optional<std::string>>(6).value_or("no report yet");
        regression.issue = row.get<std::optional<std::string>>(7).value_or("");
        regression.back = row.get<int>(8);
        regression.series = row.get<int>(9);
        if (regression.back > 0) {
            regression.mendings = load_mendings(db, regression.id, facts.id);
        }
        if (is_open(regression.state) || regression.tonight || regression.recovered) {
            facts.regressions.push_back(std::move(regression));
        }
    }
}

/// @param sql  rows of (what, why, in_sandbox); ?1 is the nightly, ?2 the project, ?3 a limit
void add_missing(Database& db, const std::string& sql, ProjectId project, NightFacts& facts) {
    Query row = db.query(sql, facts.id, project, max_missing);
    while (row.next()) {
        facts.missing.push_back(
            {row.get<std::string>(0), row.get<std::string>(1), row.get<bool>(2)});
    }
}

/// Since the project's nightly before this one, what went wrong before a night could begin.
constexpr std::string_view before_tonight =
    " AND {0}.created_at_s > coalesce((SELECT o.created_at_s FROM night o WHERE o.project_id = ?2 "
    "AND o.id < ?1 ORDER BY o.id DESC LIMIT 1), 0) AND {0}.created_at_s <= coalesce((SELECT "
    "n.ended_at_s FROM nightly n WHERE n.id = ?1), {0}.created_at_s) ORDER BY {0}.id LIMIT ?3";

void load_series_notes(Database& db, NightFacts& facts) {
    Query row = db.query(
        "SELECT message FROM event WHERE subject = ?1 "
        "AND kind IN ('series.new', 'series.gone', 'series.changed') ORDER BY id LIMIT ?2",
        "nightly/" + to_string(facts.id),
        max_missing);
    while (row.next()) facts.series_notes.push_back(row.get<std::string>(0));
}

// A part of the night is missing; without the whole there is no night.
void load_withdrawn(Database& db, NightFacts& facts) {
    for (const auto& one : list_withdrawals(db, facts.id)) {
        if (one.worker.empty()) {
            facts.withdrawn = words_of(one);
        } else {
            facts.missing.push_back(
                {"what worker " + one.worker + " measured",
                 "withdrawn by " + one.by + ": " + one.reason});
        }
    }
}

void load_lost(Database& db, NightFacts& facts) {
    Query row = db.query(
        "SELECT w.name, count(*), coalesce(max(nullif(a.message, '')), 'stopped answering') "
        "FROM job j JOIN attempt a ON a.job_id = j.id AND a.outcome = 'lost' "
        "JOIN worker w ON w.id = a.worker_id WHERE j.nightly_id = ?1 GROUP BY w.id LIMIT ?2",
        facts.id,
        max_missing);
    while (row.next()) {
        facts.lost.push_back(
            {row.get<std::string>(0), row.get<std::int64_t>(1), row.get<std::string>(2)});
    }
}

void load_missing(Database& db, ProjectId project, NightFacts& facts) {
    const auto add = [&](const std::string& sql) { add_missing(db, sql, project, facts); };
    // One line for each cause: what ended alike, with the same words, on the same class. A build
    // that is broken is so on every class.
    add("SELECT CASE count(*) WHEN 1 THEN 'job ' || min(j.id) || ' (' || j.purpose || ') ' || "
        "j.state ELSE count(*) || ' jobs (' || j.purpose || ')' || "
        "CASE count(DISTINCT c.id) WHEN 1 THEN ' on ' || c.name ELSE '' END || ' ' || j.state || "
        "', the first is job ' || min(j.id) END, j.message, j.message LIKE 'its build failed%' "
        "FROM job j "
        "JOIN machine_class c ON c.id = j.machine_class_id WHERE j.nightly_id = ?1 "
        "AND j.state IN ('failed', 'parked', 'cancelled') "
        "GROUP BY j.purpose, j.state, j.message, CASE WHEN j.message LIKE 'its build failed%' "
        "THEN 0 ELSE c.id END ORDER BY min(j.id) LIMIT ?3");
    add("WITH lost AS (SELECT r.benchmark, r.variant, c.name AS class, r.outcome, "
        "count(*) AS runs, max(r.message) AS message FROM job j JOIN run r ON r.job_id = j.id "
        "JOIN machine_class c ON c.id = r.machine_class_id WHERE j.nightly_id = ?1 "
        "AND j.purpose = 'nightly' AND r.outcome NOT IN ('passed', 'unsupported') "
        "GROUP BY r.benchmark, r.variant, c.name, r.outcome) "
        "SELECT min(benchmark || ' (' || variant || ')') || CASE count(*) WHEN 1 THEN '' "
        "ELSE ' and ' || (count(*) - 1) || ' more' END || ' on ' || class || ': ' || sum(runs) || "
        "' of ' || CASE count(*) WHEN 1 THEN 'its' ELSE 'their' END || ' runs ' || outcome, "
        "message, 1 FROM lost GROUP BY class, outcome, message, "
        "CASE message WHEN '' THEN benchmark || ' ' || variant END LIMIT ?3");
    add("SELECT 'build of ' || substr(b.revision, 1, 10), CASE WHEN b.input_error <> '' "
        "THEN b.input_error ELSE max(p.message) END, b.input_error = '' FROM job j "
        "JOIN job_build jb ON jb.job_id = j.id JOIN build b ON b.id = jb.build_id "
        "LEFT JOIN product p ON p.build_id = b.id AND p.state = 'failed' WHERE j.nightly_id = ?1 "
        // A commit that a search passed over is not missing: the search's report tells it.
        "AND j.probe_id IS NULL "
        "AND (b.input_error <> '' OR p.id IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM product q "
        "WHERE q.build_id = b.id AND q.state = 'built') GROUP BY b.id LIMIT ?3");
    add("SELECT CASE kind WHEN 'series.set_aside' THEN 'a series is not judged' "
        "ELSE 'a part of the night is left out' END, message, 0 FROM event "
        "WHERE subject = 'nightly/' || ?1 AND kind IN ('series.set_aside', 'nightly.part_failed') "
        "ORDER BY id LIMIT ?3");
    add("SELECT 'worker ' || w.name || ' quarantined', w.reason, 0 FROM worker w "
        "WHERE w.state = 'quarantined' AND w.machine_class_id IN (SELECT machine_class_id FROM job "
        "WHERE nightly_id = ?1) LIMIT ?3");
    add("SELECT 'canary of worker ' || w.name, k.message, 0 FROM canary_check k "
        "JOIN worker w ON w.id = k.worker_id WHERE k.nightly_id = ?1 AND k.state = 'missing' "
        "ORDER BY k.id LIMIT ?3");
    if (!facts.beside.empty()) return;  // a night tells it
    add("SELECT 'nightly asked for by ' || t.cause, t.message, 0 FROM trigger_request t "
        "WHERE t.project_id = ?2 AND t.state = 'failed'" +
        fmt::format(before_tonight, "t"));
    add("SELECT 'archive of ' || f.version || ' refused', f.message, 0 FROM artifact f "
        "WHERE f.project_id = ?2 AND f.state = 'refused'" +
        fmt::format(before_tonight, "f"));
}

}  // namespace

bool is_open(RegressionState state) {
    switch (state) {
        case RegressionState::confirmed:
        case RegressionState::searching:
        case RegressionState::attributed:
        case RegressionState::range:
        case RegressionState::reported:
        case RegressionState::acknowledged: return true;
        default: return false;
    }
}

NightFacts load_night_facts(Database& db, NightlyId nightly, const Config& config) {
    NightFacts facts;
    facts.marker = load_marker(db, nightly).line;
    const ProjectId project = load_row(db, nightly, facts);
    const auto found = config.projects.find(facts.project);
    facts.links = links_of(config, facts.project);
    load_work(db, facts);
    const ProjectConfig* watched = found == config.projects.end() ? nullptr : &found->second;
    load_measured(db, facts, watched);
    if (!facts.beside.empty()) load_values(db, facts, watched);
    load_changes(db, facts);
    load_drifts(db, facts);
    load_storms(db, facts);
    if (facts.beside.empty()) load_regressions(db, project, facts);
    load_missing(db, project, facts);
    load_withdrawn(db, facts);
    load_lost(db, facts);
    facts.breakage = find_breakage(db, nightly);
    load_series_notes(db, facts);
    if (const auto week = find_week_to_report(db, nightly)) {
        facts.last_week = load_precision(db, *week);
    }
    return facts;
}

}  // namespace vigil::service
