#include <bit>
#include <cstring>
#include <optional>

#include <nlohmann/json.hpp>

#include "schema/model/states.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;

constexpr const char* select_run =
    "SELECT run.id, project.name, run.job_id, run.attempt, run.step, run.build_id, build.revision,"
    " run.benchmark, run.variant, machine_class.name, worker.name, run.environment_id,"
    " run.outcome, run.message, run.log_digest, run.started_at_ns, run.duration_ns, job.purpose"
    " FROM run JOIN job ON job.id = run.job_id JOIN project ON project.id = job.project_id"
    " JOIN build ON build.id = run.build_id"
    " JOIN machine_class ON machine_class.id = run.machine_class_id"
    " JOIN worker ON worker.id = run.worker_id";

nlohmann::json run_json(const Query& row) {
    return {
        {"id", row.get<std::int64_t>(0)},
        {"project", row.get<std::string>(1)},
        {"job", row.get<std::int64_t>(2)},
        {"attempt", row.get<std::int64_t>(3)},
        {"step", row.get<std::int64_t>(4)},
        {"build", row.get<std::int64_t>(5)},
        {"revision", row.get<std::string>(6)},
        {"benchmark", row.get<std::string>(7)},
        {"variant", row.get<std::string>(8)},
        {"machine_class", row.get<std::string>(9)},
        {"worker", row.get<std::string>(10)},
        {"environment", or_null(row.get<std::optional<std::int64_t>>(11))},
        {"outcome", row.get<std::string>(12)},
        {"message", row.get<std::string>(13)},
        {"log", or_null(row.get<std::optional<std::string>>(14))},
        {"started_at_ns", row.get<std::int64_t>(15)},
        {"duration_ns", row.get<std::int64_t>(16)},
        {"purpose", row.get<std::string>(17)}};
}

/// The samples of a blob of little-endian doubles.
nlohmann::json samples_json(Blob blob) {
    static_assert(std::endian::native == std::endian::little);
    auto samples = nlohmann::json::array();
    for (std::size_t at = 0; at + sizeof(double) <= blob.size(); at += sizeof(double)) {
        double value = 0;
        std::memcpy(&value, blob.data() + at, sizeof value);
        samples.push_back(value);
    }
    return samples;
}

nlohmann::json measurements_of(Database& db, std::int64_t run) {
    auto measurements = nlohmann::json::array();
    auto rows = db.query(
        "SELECT series.id, series.metric, series.unit, series.direction, measurement.median,"
        " measurement.spread, measurement.count, measurement.samples FROM measurement"
        " JOIN series ON series.id = measurement.series_id WHERE run_id = ?1 ORDER BY series.id",
        run);
    while (rows.next()) {
        measurements.push_back(
            {{"series", rows.get<std::int64_t>(0)},
             {"metric", rows.get<std::string>(1)},
             {"unit", rows.get<std::string>(2)},
             {"direction", rows.get<std::string>(3)},
             {"median", rows.get<double>(4)},
             {"spread", rows.get<double>(5)},
             {"count", rows.get<std::int64_t>(6)},
             {"samples", samples_json(rows.get<Blob>(7))}});
    }
    return measurements;
}

// What it measured and no series can be judged by.
nlohmann::json unjudged_of(Database& db, std::int64_t run) {
    auto unjudged = nlohmann::json::array();
    auto rows = db.query(
        "SELECT series.id, series.metric, unjudged_measurement.reason, unjudged_measurement.count,"
        " unjudged_measurement.samples FROM unjudged_measurement"
        " JOIN series ON series.id = unjudged_measurement.series_id WHERE run_id = ?1"
        " ORDER BY series.id",
        run);
    while (rows.next()) {
        unjudged.push_back(
            {{"series", rows.get<std::int64_t>(0)},
             {"metric", rows.get<std::string>(1)},
             {"reason", rows.get<std::string>(2)},
             {"count", rows.get<std::int64_t>(3)},
             {"samples", samples_json(rows.get<Blob>(4))}});
    }
    return unjudged;
}

std::optional<std::int64_t> in_nanoseconds(std::optional<std::int64_t> seconds) {
    if (!seconds) return std::nullopt;
    return std::min(*seconds, INT64_MAX / ns_per_s) * ns_per_s;
}

}  // namespace

http::Response list_runs(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Page page = parse_page(
        request,
        {"project",
         "job",
         "build",
         "revision",
         "benchmark",
         "variant",
         "machine_class",
         "outcome",
         "nightly",
         "since_s",
         "until_s"});
    const Filters filters(request, db, context.config);
    auto rows = db.query(
        std::string(select_run) +
            " WHERE run.id < ?1 AND (?2 IS NULL OR project.name = ?2)"
            " AND (?3 IS NULL OR run.job_id = ?3) AND (?4 IS NULL OR run.build_id = ?4)"
            " AND (?5 IS NULL OR build.revision = ?5) AND (?6 IS NULL OR run.benchmark = ?6)"
            " AND (?7 IS NULL OR run.variant = ?7) AND (?8 IS NULL OR machine_class.name = ?8)"
            " AND (?9 IS NULL OR run.outcome = ?9) AND (?10 IS NULL OR job.nightly_id = ?10)"
            " AND (?11 IS NULL OR run.started_at_ns >= ?11)"
            " AND (?12 IS NULL OR run.started_at_ns < ?12) ORDER BY run.id DESC LIMIT ?13",
        page.before_id,
        filters.project(),
        filters.id("job"),
        filters.id("build"),
        filters.revision(),
        filters.benchmark(),
        filters.variant(),
        filters.machine_class(),
        enum_filter<Outcome>(request, "outcome"),
        filters.nightly(),
        in_nanoseconds(filters.since_s()),
        in_nanoseconds(filters.until_s()),
        page.limit + 1);
    auto items = nlohmann::json::array();
    while (rows.next()) items.push_back(run_json(rows));
    return page_response(std::move(items), page);
}

http::Response get_run(const http::Request& request, Database& db, const HandlerContext&) {
    check_query(request, {});
    const Snapshot snapshot(db);
    const auto id = id_parameter(request);
    nlohmann::json run;
    {
        auto rows = db.query(std::string(select_run) + " WHERE run.id = ?1", id);
        if (!rows.next()) throw_missing("run", id);
        run = run_json(rows);
    }
    run["measurements"] = measurements_of(db, id);
    run["unjudged"] = unjudged_of(db, id);
    const auto facts = db.find<std::string>(
        "SELECT environment.facts FROM run JOIN environment ON environment.id = environment_id"
        " WHERE run.id = ?1",
        id);
    run["facts"] = facts ? stored_json(*facts) : nlohmann::json();
    return object_response(run);
}

}  // namespace vigil::service
