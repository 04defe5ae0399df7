#include "service/store/work/results.hpp"

#include <bit>
#include <span>

#include <nlohmann/json.hpp>

#include "schema/wire/digest.hpp"

namespace vigil::service {

namespace {

Blob blob_of(const std::vector<double>& samples) {
    static_assert(std::endian::native == std::endian::little, "blobs are little-endian");
    return std::as_bytes(std::span(samples));
}

}  // namespace

std::optional<Digest> find_product(Database& db, const ProductKey& key) {
    return db.find<Digest>(
        "SELECT digest FROM product WHERE build_id = ?1 AND recipe_digest = ?2 "
        "AND toolchain = ?3 AND state = 'built'",
        key);
}

void note_product(
    Database& db, const ProductKey& key, const BuildOutcome& built, std::int64_t now_s) {
    db.execute(
        "INSERT INTO product(build_id, recipe_digest, toolchain, state, digest, log_digest, "
        "duration_ns, created_at_s) VALUES (?1, ?2, ?3, 'built', ?4, ?5, ?6, ?7) "
        "ON CONFLICT(build_id, recipe_digest, toolchain) DO UPDATE SET state = 'built', "
        "digest = ?4, log_digest = ?5, message = '', duration_ns = ?6, created_at_s = ?7",
        key,
        built.product,
        built.log,
        built.duration_ns,
        now_s);
}

void note_failed_product(
    Database& db, const ProductKey& key, const BuildOutcome& failed, std::int64_t now_s) {
    db.execute(
        "INSERT INTO product(build_id, recipe_digest, toolchain, state, failures, log_digest, "
        "message, duration_ns, created_at_s) VALUES (?1, ?2, ?3, 'failed', 1, ?4, ?5, ?6, ?7) "
        "ON CONFLICT(build_id, recipe_digest, toolchain) DO UPDATE SET "
        "failures = failures + 1, log_digest = ?4, message = ?5 WHERE state = 'failed'",
        key,
        failed.log,
        failed.message,
        failed.duration_ns,
        now_s);
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
        "variant, environment_id, step, outcome, message, log_digest, started_at_ns, duration_ns) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
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
