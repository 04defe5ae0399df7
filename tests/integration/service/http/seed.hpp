#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/model/job.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/schedule/job_result.hpp"
#include "service/schedule/trigger.hpp"
#include "service/schedule/worker_state.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisection_records.hpp"
#include "service/store/ids.hpp"
#include "service/store/work/deliveries.hpp"
#include "tests/integration/service/http/fixture.hpp"

// Rows for tests of HTTP: small, complete, and of every table that a read route shows.

namespace vigil::service::testing {

inline std::string hash_of(char digit, std::size_t length = 40) {
    return std::string(length, digit);
}

inline BuildId add_build(Database& db, ProjectId project, char digit) {
    db.execute(
        "INSERT INTO build (project_id, revision, input_kind, input_digest, created_at_s)"
        " VALUES (?1, ?2, 'source_tree', ?3, 100)",
        project,
        hash_of(digit),
        hash_of(digit, 64));
    return BuildId{db.last_insert_id()};
}

inline JobPlan small_plan() {
    BenchmarkPlan benchmark;
    benchmark.benchmark = "sum";
    benchmark.variant = "train";
    benchmark.command = {"./sum"};
    JobPlan plan;
    plan.benchmarks = {benchmark};
    plan.steps = {Step{0, 0}};
    return plan;
}

/// One queued job with one build of the project "demo", for the class "small".
inline JobId add_small_job(Database& db, char digit) {
    const auto project = ensure_project(db, "demo", 100);
    NewJob job;
    job.project = project;
    job.machine_class = ensure_machine_class(db, "small");
    job.builds = {add_build(db, project, digit)};
    job.plan = small_plan();
    return add_job(db, job, 100);
}

inline Fingerprint small_machine() {
    Fingerprint fingerprint;
    fingerprint.cpu_model = "A CPU";
    fingerprint.cpus = 2;
    fingerprint.memory_bytes = 1 << 30;
    fingerprint.toolchain = hash_of('7', 64);
    return fingerprint;
}

constexpr const char* small_product = "a product";

/// As a worker does before it sends a result that names it.
inline void put_small_product(const http::Client& worker) {
    const auto path = "/api/v1/content/" + wire::sha256(small_product).str() + "?kind=product";
    const http::Headers binary{{"content-type", "application/octet-stream"}};
    REQUIRE(worker.send("PUT", path, small_product, binary).status == 204);
}

inline JobResult small_result(BuildId build) {
    JobResult result;
    BuildOutcome outcome;
    outcome.id = build;
    outcome.built = true;
    outcome.product = wire::sha256(small_product);
    outcome.duration_ns = 5;
    result.builds = {outcome};
    RunOutcome run;
    run.outcome = Outcome::passed;
    run.started_at_ns = 1'000'000'000;
    run.duration_ns = 1000;
    run.samples = {Samples{Metric::cpu_time_ns, {1.0, 2.0, 3.0}}};
    result.runs = {run};
    result.before.facts["kernel"] = "a";
    result.after.facts["kernel"] = "a";
    return result;
}

/// The search of the series with id 1.
inline BisectionSettings small_search() {
    BisectionSettings settings;
    settings.series = {SeriesId{1}};
    settings.groups = {MachineClassId{1}};
    settings.specs = {search::SeriesSpec{}};
    return settings;
}

/// How that search may end, with all that an ending may have.
inline BisectionConclusion small_conclusion() {
    search::SeriesEnding ending;
    ending.ending = search::Ending::culprit;
    ending.first = ending.last = 1;
    ending.probability = 1;
    ending.remaining = search::Remaining{1, 1, .02, .4};
    ending.explained = search::Explained{.2, .9, .02, .01, .03};
    return {
        .summary = "it is commit 1", .endings = {ending}, .posterior = {{1}}, .further = {ending}};
}

/// A night with everything: suspicion, regression, bisection, probe, report, outbox. The series
/// with id 1 must exist.
inline void add_verdicts(Database& db) {
    const auto project = ensure_project(db, "demo", 100);
    const auto good = add_build(db, project, 'a');
    const auto bad = add_build(db, project, 'b');
    for (const auto build : {good, bad}) {
        db.execute(
            "INSERT INTO nightly (project_id, build_id, version, day, revision, state, "
            "created_at_s, ended_at_s)"
            " SELECT project_id, id, 'v' || id, '2024-01-02', revision, 'done', 100, 400 FROM build"
            " WHERE id = ?1",
            build);
    }
    const auto night = db.last_insert_id();
    db.execute(
        "INSERT INTO baseline (series_id, kind, nightly_id, reason, created_at_s)"
        " VALUES (1, 'rolling', ?1, 'first night', 100)",
        night);
    db.execute(
        "INSERT INTO suspicion (series_id, nightly_id, good_nightly_id, kind, state, verdict, "
        "base, "
        "value,"
        " change_ratio, reason, created_at_s) VALUES (1, ?1, ?1 - 1, 'level', 'ended', "
        "'regression', 1.0,"
        " 1.2, 0.2, 'above the threshold', 100)",
        night);
    const auto suspicion = db.last_insert_id();
    db.execute(
        "INSERT INTO improvement (suspicion_id, project_id, nightly_id, others, message, "
        "ended_at_s) VALUES (?1, ?2, ?3, 2, 'there is no repository', 100)",
        suspicion,
        project,
        night);
    db.execute(
        "INSERT INTO drift (series_id, kind, nightly_id, since_nightly_id, since_earliest_id,"
        " since_latest_id, before, after, change_ratio, low, high, created_at_s)"
        " VALUES (1, 'history', ?1, ?1, ?1, ?1, 1.0, 1.03, 0.03, 0.02, 0.04, 100)",
        night);
    db.execute(
        "INSERT INTO storm (nightly_id, worker_id, state, series, suspicious, moved_ratio,"
        " created_at_s) SELECT ?1, min(id), 'checking', 40, 12, 0.09, 100 FROM worker",
        night);
    db.execute(
        "INSERT INTO allocation (machine_class_id, name, state, outcome, created_at_s, ended_at_s)"
        " SELECT min(id), 'vigil-' || ?1, 'ended', 'refused', 100, 101 FROM machine_class",
        night);
    db.execute(
        "INSERT OR IGNORE INTO unjudged_measurement (run_id, series_id, reason, count, samples) "
        "SELECT min(id), 1, 'its value is 0', 0, x'' FROM run HAVING min(id) IS NOT NULL");
    db.execute(
        "INSERT INTO trouble (kind, subject, project_id, message, since_s, seen_s) VALUES "
        "('night.late', 'project/demo' || ?1, ?2, 'no nightly came', 100, 100)",
        night,
        project);
    db.execute(
        "INSERT INTO canary_check (nightly_id, worker_id, definition, state, series_id, value, "
        "base,"
        " moved_ratio, created_at_s) SELECT ?1, min(id), 'd', 'steady', 1, 1.01, 1.0, 0.01, 100"
        " FROM worker",
        night);
    db.execute(
        "INSERT INTO bisection (project_id, nightly_id, good_revision, bad_revision, state, "
        "planner,"
        " settings, created_at_s) VALUES (?1, ?2, ?3, ?4, 'searching', 1, ?5, 100)",
        project,
        night,
        hash_of('a'),
        hash_of('b'),
        small_search());
    const auto bisection = db.last_insert_id();
    db.execute(
        "INSERT INTO suspect VALUES "
        "(?1, 0, ?2, ?4, 0, 'good', 'Author One', 80, ?3, '', '[]', 1, '', NULL)",
        bisection,
        hash_of('a'),
        good,
        hash_of('9'));
    db.execute(
        "INSERT INTO suspect VALUES (?1, 1, ?2, ?3, 0, 'subject', 'Author One', 90, ?4, '', '[]', "
        "1, '', NULL)",
        bisection,
        hash_of('b'),
        hash_of('a'),
        bad);
    db.execute(
        "INSERT INTO probe (bisection_id, number, plan, state, created_at_s)"
        " VALUES (?1, 0, ?2, 'done', 100)",
        bisection,
        search::ProbeRequest{0, search::ProbePurpose::search, {0, 1, 1, 0}, {0}, "both ends"});
    db.execute("UPDATE job SET probe_id = ?1 WHERE id = 1", db.last_insert_id());
    db.execute(
        "INSERT INTO regression (project_id, nightly_id, state, good_build_id, bad_build_id,"
        " bisection_id, culprit, created_at_s, changed_at_s)"
        " VALUES (?1, ?2, 'reported', ?3, ?4, ?5, ?6, 100, 100)",
        project,
        night,
        good,
        bad,
        bisection,
        hash_of('b'));
    const auto regression = db.last_insert_id();
    db.execute(
        "INSERT INTO regression_series (regression_id, series_id, suspicion_id) VALUES (?1, 1, ?2)",
        regression,
        suspicion);
    db.execute(
        "INSERT INTO report (kind, project_id, regression_id, version, title, body, created_at_s)"
        " VALUES ('regression', ?1, ?2, 1, 'slower', 'text', 100)",
        project,
        regression);
    db.execute(
        "INSERT INTO outbox (report_id, target, state, next_attempt_at_s) VALUES (?1, 'f', 'sent', "
        "1)",
        db.last_insert_id());
    db.execute(
        "INSERT INTO notice (target, place, number, body, state, next_attempt_at_s, changed_at_s) "
        "VALUES ('f', 'pull/7', 7, 'measured', 'sent', 1, 100)");
    db.execute(
        "INSERT INTO pull (project_id, target, number, head, base, is_fork, asked_by, state, "
        "seen_at_s, created_at_s, ended_at_s) VALUES (?1, 'f', 7, ?2, ?3, 0, 'label', 'done', "
        "90, 90, 100)",
        project,
        std::string(40, 'c'),
        std::string(40, 'd'));
    db.execute(
        "INSERT INTO report (kind, project_id, nightly_id, version, title, body, created_at_s)"
        " VALUES ('night', ?1, ?2, 1, 'one regression', 'text', 100)",
        project,
        night);
}

inline nlohmann::json json_of(const http::Response& response) {
    CAPTURE(response.status, response.body);
    REQUIRE(response.status < 300);
    return wire::parse_json(response.body, "the reply");
}

/// A ledger with a row of everything.
inline void seed_all(Service& service) {
    service.change([&](Database& db) {
        add_small_job(db, 'c');
        const auto worker =
            upsert_worker(db, service.config(), "worker-one", small_machine(), false, 100);
        const auto lease = claim_job(db, service.config(), worker, 100);
        const auto result = write_result(small_result(lease->builds.at(0).id));
        finish_job(db, JobConfig{}, lease->job, lease->attempt, worker, result, 101);
        add_small_job(db, 'd');
        request_nightly(db, ProjectId{1}, TriggerCause::request, "request:seed", std::nullopt, 100);
        add_verdicts(db);
        add_delivery(
            db, {"seed", "push", wire::sha256("secret"), "secret", "acted", "looks at demo"}, 100);
        return 0;
    });
}

}  // namespace vigil::service::testing
