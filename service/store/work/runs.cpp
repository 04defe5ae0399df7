#include "service/store/work/runs.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include <nlohmann/json.hpp>

#include "schema/wire/digest.hpp"
#include "service/store/work/cases.hpp"

namespace vigil::service {

namespace {

// One value of a run; a run without any is one row too.
struct ValueOfRun {
    RunId run;
    BuildId build;
    bool passed = false;
    ClassVariant variant;
    std::string case_name;
    std::optional<SeriesId> series;
    std::optional<double> median;
};

Blob blob_of(const std::vector<double>& samples) {
    static_assert(std::endian::native == std::endian::little, "blobs are little-endian");
    return std::as_bytes(std::span(samples));
}

}  // namespace

std::vector<MeasuredRun> list_measured_runs(Database& db, JobId job) {
    const auto values = db.all<ValueOfRun>(
        "SELECT r.id, r.build_id, r.outcome = 'passed', r.benchmark, r.variant, "
        "r.machine_class_id, r.case_name, m.series_id, m.median FROM job j JOIN run r ON r.job_id "
        "= j.id "
        "AND r.attempt = j.attempt LEFT JOIN judged_measurement m ON m.run_id = r.id "
        "WHERE j.id = ?1 ORDER BY r.step",
        job);
    std::vector<MeasuredRun> runs;
    std::vector<RunId> ids;
    for (const auto& one : values) {
        if (ids.empty() || ids.back() != one.run) {
            ids.push_back(one.run);
            runs.push_back({one.build, one.passed, one.variant, one.case_name, {}, {}});
        }
        if (one.series) runs.back().values[*one.series] = *one.median;
    }
    for (const auto& [run, name] : list_case_failures(db, job)) {
        const auto at = std::ranges::find(ids, run) - ids.begin();
        runs.at(static_cast<std::size_t>(at)).failed_cases.insert(name);
    }
    return runs;
}

std::optional<double> find_usual_run_ns(Database& db, SeriesId series) {
    return db.find<double>(
        "SELECT AVG(duration_ns) FROM (SELECT r.duration_ns FROM measurement m "
        "CROSS JOIN run r ON r.id = m.run_id WHERE m.series_id = ?1 ORDER BY m.run_id DESC LIMIT "
        "20)",
        series);
}

bool has_values(Database& db, NightlyId nightly) {
    return db.has(
        "SELECT 1 FROM job j JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
        "JOIN measurement m ON m.run_id = r.id WHERE j.nightly_id = ?1 "
        "AND j.purpose = 'nightly' LIMIT 1",
        nightly);
}

bool has_runs_of(Database& db, NightlyId nightly, WorkerId worker) {
    return db.has(
        "SELECT 1 FROM job j JOIN run r ON r.job_id = j.id WHERE j.nightly_id = ?1 "
        "AND j.purpose = 'nightly' AND r.worker_id = ?2 LIMIT 1",
        nightly,
        worker);
}

std::int64_t count_runs(Database& db, JobId job) {
    return db.find<std::int64_t>("SELECT count(*) FROM run WHERE job_id = ?1", job).value_or(0);
}

std::vector<SeriesId> list_job_series(Database& db, JobId job) {
    return db.all<SeriesId>(
        "SELECT m.series_id FROM run r CROSS JOIN measurement m ON m.run_id = r.id "
        "WHERE r.job_id = ?1 UNION SELECT u.series_id FROM run r "
        "CROSS JOIN unjudged_measurement u ON u.run_id = r.id WHERE r.job_id = ?1",
        job);
}

bool has_values_beside(Database& db, SeriesId series, JobId job) {
    return db.has(
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM measurement m CROSS JOIN run r ON r.id = m.run_id "
        "WHERE m.series_id = ?1 AND r.job_id <> ?2) OR EXISTS (SELECT 1 "
        "FROM unjudged_measurement u CROSS JOIN run r ON r.id = u.run_id "
        "WHERE u.series_id = ?1 AND r.job_id <> ?2) OR EXISTS (SELECT 1 FROM night_value v "
        // What is rolled up has no run.
        "WHERE v.series_id = ?1 AND NOT EXISTS (SELECT 1 FROM run WHERE id = v.run_id))",
        series,
        job);
}

void remove_runs(Database& db, JobId job) {
    db.execute(
        "DELETE FROM measurement WHERE run_id IN (SELECT id FROM run WHERE job_id = ?1)", job);
    db.execute(
        "DELETE FROM unjudged_measurement WHERE run_id IN (SELECT id FROM run WHERE job_id = ?1)",
        job);
    remove_case_failures(db, job);
    db.execute("DELETE FROM run_fact WHERE run_id IN (SELECT id FROM run WHERE job_id = ?1)", job);
    db.execute("DELETE FROM run WHERE job_id = ?1", job);
}

std::vector<std::string> list_job_variants(Database& db, JobId job, const std::string& benchmark) {
    return db.all<std::string>(
        "SELECT DISTINCT variant FROM run WHERE job_id = ?1 AND benchmark = ?2 "
        "AND outcome = 'passed' ORDER BY variant",
        job,
        benchmark);
}

std::set<ClassVariant> list_passed_variants(Database& db, NightlyId nightly) {
    const auto passed = db.all<ClassVariant>(
        "SELECT DISTINCT r.benchmark, r.variant, r.machine_class_id FROM job j "
        "JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt WHERE j.nightly_id = ?1 "
        "AND j.purpose = 'nightly' AND r.outcome = 'passed'",
        nightly);
    return {passed.begin(), passed.end()};
}

std::vector<SilentVariant> list_silent_variants(Database& db, NightlyId nightly) {
    return db.all<SilentVariant>(
        "SELECT r.benchmark, r.variant, r.machine_class_id, MAX(r.outcome), MAX(r.message) "
        "FROM job j JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly' AND NOT EXISTS (SELECT 1 FROM left_out "
        "o WHERE o.nightly_id = ?1 AND o.worker_id IN (0, r.worker_id)) "
        "GROUP BY 1, 2, 3 "
        "HAVING SUM(r.outcome = 'passed') = 0 AND SUM(r.outcome <> 'unsupported') > 0",
        nightly);
}

std::vector<UnjudgedValue> list_unjudged_values(Database& db, NightlyId nightly) {
    return db.all<UnjudgedValue>(
        "WITH mine AS (SELECT r.id FROM job j JOIN run r ON r.job_id = j.id "
        "AND r.attempt = j.attempt WHERE j.nightly_id = ?1 AND j.purpose = 'nightly') "
        "SELECT u.series_id, u.reason FROM mine CROSS JOIN unjudged_measurement u "
        "ON u.run_id = mine.id UNION ALL SELECT m.series_id, 'its value is ' || m.median FROM mine "
        "CROSS JOIN measurement m ON m.run_id = mine.id WHERE NOT EXISTS (SELECT 1 FROM "
        "judged_measurement v WHERE v.run_id = m.run_id AND v.series_id = m.series_id) "
        "ORDER BY 1",
        nightly);
}

std::optional<std::string> find_unjudged_reason(Database& db, NightlyId nightly) {
    return db.find<std::string>(
        "SELECT u.reason FROM job j JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
        "JOIN unjudged_measurement u ON u.run_id = r.id WHERE j.nightly_id = ?1 "
        "AND j.purpose = 'nightly' LIMIT 1",
        nightly);
}

std::optional<EnvironmentId> ensure_environment(
    Database& db, const std::map<std::string, std::string>& facts) {
    if (facts.empty()) return std::nullopt;
    const auto text = nlohmann::json(facts).dump();
    const auto digest = wire::sha256(text);
    db.execute(
        "INSERT INTO environment(digest, facts) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        digest,
        text);
    return db.find<EnvironmentId>("SELECT id FROM environment WHERE digest = ?1", digest);
}

RunId add_run(Database& db, const JobRow& job, const RunSubject& subject, const RunOutcome& run) {
    return db.insert<RunId>(
        "INSERT INTO run(job_id, attempt, machine_class_id, worker_id, build_id, benchmark, "
        "variant, environment_id, case_name, step, outcome, message, log_digest, started_at_ns, "
        "duration_ns) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        job.id,
        job.attempt,
        job.machine_class,
        job.worker,
        subject,
        run.step,
        run.outcome,
        run.message,
        run.log,
        run.started_at_ns,
        run.duration_ns);
}

void add_run_facts(Database& db, RunId run, const std::vector<RunFact>& facts) {
    for (const auto& fact : facts) {
        db.execute(
            "INSERT INTO run_fact(run_id, name, value, low, high, unit, text) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            run,
            fact.name,
            fact.value,
            fact.low,
            fact.high,
            fact.unit,
            fact.text);
    }
}

std::optional<std::int64_t> find_chosen_batch(
    Database& db, ProjectId project, const ClassVariant& variant) {
    return db.find<std::int64_t>(
        "SELECT batch FROM chosen_batch WHERE project_id = ?1 AND benchmark = ?2 AND variant = ?3 "
        "AND machine_class_id = ?4",
        project,
        variant.benchmark,
        variant.variant,
        variant.machine_class);
}

std::int64_t keep_chosen_batch(
    Database& db, ProjectId project, const ClassVariant& variant, std::int64_t batch, RunId run) {
    db.execute(
        "INSERT INTO chosen_batch(project_id, benchmark, variant, machine_class_id, batch, run_id) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
        project,
        variant.benchmark,
        variant.variant,
        variant.machine_class,
        batch,
        run);
    return find_chosen_batch(db, project, variant).value();
}

std::vector<LeakingVariant> list_leaking_variants(Database& db, NightlyId nightly) {
    return db.all<LeakingVariant>(
        "SELECT r.benchmark, r.variant, r.machine_class_id, COUNT(*), MIN(f.low), MAX(f.high) "
        "FROM job j JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
        "LEFT JOIN run_fact f ON f.run_id = r.id AND f.name = 'leak' "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly' AND NOT EXISTS (SELECT 1 FROM left_out "
        "o WHERE o.nightly_id = ?1 AND o.worker_id IN (0, r.worker_id)) GROUP BY 1, 2, 3 "
        "HAVING COUNT(*) > 1 AND SUM(ifnull(f.text = 'leak' AND f.low > 0, 0)) = COUNT(*)",
        nightly);
}

bool has_leak(Database& db, NightlyId nightly, const ClassVariant& variant) {
    return db.has(
        "SELECT 1 FROM job j JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
        "JOIN run_fact f ON f.run_id = r.id AND f.name = 'leak' AND f.text = 'leak' "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly' AND r.benchmark = ?2 "
        "AND r.variant = ?3 AND r.machine_class_id = ?4",
        nightly,
        variant.benchmark,
        variant.variant,
        variant.machine_class);
}

void add_measurement(
    Database& db, const NewMeasurement& measurement, const std::vector<double>& samples) {
    db.execute(
        "INSERT INTO measurement(run_id, series_id, median, spread, count, samples) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        measurement,
        std::ssize(samples),
        blob_of(samples));
}

void add_unjudged_measurement(
    Database& db,
    const NewMeasurement& measurement,
    const std::vector<double>& samples,
    const std::string& why) {
    db.execute(
        "INSERT INTO unjudged_measurement(run_id, series_id, reason, count, samples) "
        "VALUES (?1, ?2, ?3, ?4, ?5)",
        measurement.run,
        measurement.series,
        why,
        std::ssize(samples),
        blob_of(samples));
}

}  // namespace vigil::service
