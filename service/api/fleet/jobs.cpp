#include <optional>

#include <nlohmann/json.hpp>

#include "schema/model/states.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"
#include "service/schedule/job_queue.hpp"

namespace vigil::service {

namespace {

constexpr const char* select_job =
    "SELECT job.id, project.name, machine_class.name, job.purpose, job.state, job.priority,"
    " job.nightly_id, job.session_id, job.probe_id, job.attempt, job.lost_attempts, worker.name,"
    " job.lease_expires_at_s, job.progress, job.message, job.created_at_s, job.ended_at_s"
    " FROM job JOIN project ON project.id = job.project_id"
    " JOIN machine_class ON machine_class.id = job.machine_class_id"
    " LEFT JOIN worker ON worker.id = job.worker_id";

// A lease's term is counted in steady time; people read the time of day.
nlohmann::json job_json(const Query& row, const HandlerContext& context) {
    auto expires_at_s = row.get<std::optional<std::int64_t>>(12);
    if (expires_at_s) *expires_at_s += context.now_s - context.steady_s;
    return {
        {"id", row.get<std::int64_t>(0)},
        {"project", row.get<std::string>(1)},
        {"machine_class", row.get<std::string>(2)},
        {"purpose", row.get<std::string>(3)},
        {"state", row.get<std::string>(4)},
        {"priority", row.get<std::int64_t>(5)},
        {"nightly", or_null(row.get<std::optional<std::int64_t>>(6))},
        {"session", or_null(row.get<std::optional<std::int64_t>>(7))},
        {"probe", or_null(row.get<std::optional<std::int64_t>>(8))},
        {"attempt", row.get<std::int64_t>(9)},
        {"lost_attempts", row.get<std::int64_t>(10)},
        {"worker", or_null(row.get<std::optional<std::string>>(11))},
        {"lease_expires_at_s", or_null(expires_at_s)},
        {"progress", row.get<std::string>(13)},
        {"message", row.get<std::string>(14)},
        {"created_at_s", row.get<std::int64_t>(15)},
        {"ended_at_s", or_null(row.get<std::optional<std::int64_t>>(16))}};
}

nlohmann::json builds_of(Database& db, std::int64_t job) {
    auto builds = nlohmann::json::array();
    auto rows = db.query(
        "SELECT job_build.position, build.id, build.revision FROM job_build"
        " JOIN build ON build.id = job_build.build_id WHERE job_id = ?1 ORDER BY position",
        job);
    while (rows.next()) {
        builds.push_back(
            {{"position", rows.get<std::int64_t>(0)},
             {"id", rows.get<std::int64_t>(1)},
             {"revision", rows.get<std::string>(2)}});
    }
    return builds;
}

nlohmann::json attempts_of(Database& db, std::int64_t job) {
    auto attempts = nlohmann::json::array();
    auto rows = db.query(
        "SELECT attempt.number, worker.name, claimed_at_s, ended_at_s, outcome, message,"
        " stale_results FROM attempt JOIN worker ON worker.id = attempt.worker_id"
        " WHERE job_id = ?1 ORDER BY number",
        job);
    while (rows.next()) {
        attempts.push_back(
            {{"number", rows.get<std::int64_t>(0)},
             {"worker", rows.get<std::string>(1)},
             {"claimed_at_s", rows.get<std::int64_t>(2)},
             {"ended_at_s", or_null(rows.get<std::optional<std::int64_t>>(3))},
             {"outcome", or_null(rows.get<std::optional<std::string>>(4))},
             {"message", rows.get<std::string>(5)},
             {"stale_results", rows.get<std::int64_t>(6)}});
    }
    return attempts;
}

nlohmann::json runs_of(Database& db, std::int64_t job) {
    auto runs = nlohmann::json::array();
    auto rows = db.query(
        "SELECT id, attempt, step, build_id, benchmark, variant, outcome, message, log_digest,"
        " duration_ns FROM run WHERE job_id = ?1 ORDER BY attempt, step",
        job);
    while (rows.next()) {
        runs.push_back(
            {{"id", rows.get<std::int64_t>(0)},
             {"attempt", rows.get<std::int64_t>(1)},
             {"step", rows.get<std::int64_t>(2)},
             {"build", rows.get<std::int64_t>(3)},
             {"benchmark", rows.get<std::string>(4)},
             {"variant", rows.get<std::string>(5)},
             {"outcome", rows.get<std::string>(6)},
             {"message", rows.get<std::string>(7)},
             {"log", or_null(rows.get<std::optional<std::string>>(8))},
             {"duration_ns", rows.get<std::int64_t>(9)}});
    }
    return runs;
}

}  // namespace

http::Response list_jobs(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Page page = parse_page(
        request,
        {"project",
         "state",
         "purpose",
         "machine_class",
         "worker",
         "nightly",
         "session",
         "probe",
         "since_s",
         "until_s"});
    const Filters filters(request, db, context.config);
    auto rows = db.query(
        std::string(select_job) +
            " WHERE job.id < ?1 AND (?2 IS NULL OR project.name = ?2)"
            " AND (?3 IS NULL OR job.state = ?3) AND (?4 IS NULL OR job.purpose = ?4)"
            " AND (?5 IS NULL OR machine_class.name = ?5) AND (?6 IS NULL OR worker.name = ?6)"
            " AND (?7 IS NULL OR job.nightly_id = ?7) AND (?8 IS NULL OR job.session_id = ?8)"
            " AND (?9 IS NULL OR job.probe_id = ?9) AND (?10 IS NULL OR job.created_at_s >= ?10)"
            " AND (?11 IS NULL OR job.created_at_s < ?11) ORDER BY job.id DESC LIMIT ?12",
        page.before_id,
        filters.project(),
        enum_filter<JobState>(request, "state"),
        enum_filter<Purpose>(request, "purpose"),
        filters.machine_class(),
        filters.worker(),
        filters.nightly(),
        filters.id("session"),
        filters.id("probe"),
        filters.since_s(),
        filters.until_s(),
        page.limit + 1);
    auto items = nlohmann::json::array();
    while (rows.next()) items.push_back(job_json(rows, context));
    return page_response(std::move(items), page);
}

http::Response get_job(const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const Snapshot snapshot(db);
    const auto id = id_parameter(request);
    nlohmann::json job;
    {
        auto rows = db.query(std::string(select_job) + " WHERE job.id = ?1", id);
        if (!rows.next()) throw_missing("job", id);
        job = job_json(rows, context);
    }
    job["plan"] = stored_json(
        db.find<std::string>("SELECT plan FROM job WHERE id = ?1", id).value_or("null"));
    job["builds"] = builds_of(db, id);
    job["attempts"] = attempts_of(db, id);
    job["runs"] = runs_of(db, id);
    return object_response(job);
}

http::Response post_job_cancel(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const JobId id{id_parameter(request)};
    cancel_job(db, id, context.now_s);
    const auto state =
        db.find<std::string>("SELECT state FROM job WHERE id = ?1", id).value_or("cancelled");
    const nlohmann::json reply = {{"id", id.value}, {"state", state}};
    return object_response(reply);
}

}  // namespace vigil::service
