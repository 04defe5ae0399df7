#include "service/api/fleet/worker_protocol.hpp"

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/api/common/listing.hpp"
#include "service/schedule/leases.hpp"

namespace vigil::service {

namespace {

constexpr wire::IntegerRange wait_range{0, 300};
constexpr std::size_t max_progress_bytes = 500;
constexpr std::size_t max_instance_bytes = 64;
constexpr std::size_t max_layers = 20;

/// The attempt that a worker's message is about.
struct AttemptPath {
    JobId job;
    int attempt = 0;
};

AttemptPath attempt_path(const http::Request& request) {
    const JobId job{id_parameter(request)};
    const auto attempt = id_parameter(request, "attempt");
    if (attempt > INT32_MAX) throw Error(Errc::not_found, "there is no such attempt");
    return {job, static_cast<int>(attempt)};
}

/// The caller's worker. @throws Error{conflict} when it never claimed
WorkerId caller_worker(Database& db, const http::Request& request) {
    const auto& name = request.caller->name;
    const auto id = find_worker(db, name);
    if (id) return *id;
    throw Error(
        Errc::conflict,
        "the worker " + name +
            " has claimed no job of this ledger; what it has of another one is not taken");
}

bool is_spoken(int protocol) {
    return protocol >= oldest_protocol_version && protocol <= protocol_version;
}

}  // namespace

ClaimRequest parse_claim(const std::string& body) {
    const auto json = wire::parse_json(body, "the claim");
    wire::ObjectReader reader(json, "claim");
    ClaimRequest claim;
    claim.protocol = reader.small("protocol");
    if (!is_spoken(claim.protocol)) return claim;
    claim.fingerprint = wire::parse_fingerprint(*reader.item("fingerprint").value);
    claim.wait_s = reader.integer_or("wait_s", 0, wait_range);
    claim.draining = reader.flag_or("draining", false);
    claim.instance = reader.text_or("instance", "", max_instance_bytes);
    claim.words.cannot_work = reader.text_or("cannot_work", "", max_progress_bytes);
    claim.words.containment = reader.text_map("containment", max_layers);
    reader.done();
    return claim;
}

std::optional<http::Response> refuse_protocol(const ClaimRequest& claim, const std::string& path) {
    if (is_spoken(claim.protocol)) return std::nullopt;
    const bool worker_is_old = claim.protocol < oldest_protocol_version;
    const std::string detail = "the worker speaks protocol " + std::to_string(claim.protocol) +
                               ", the daemon " + std::to_string(oldest_protocol_version) + " to " +
                               std::to_string(protocol_version) + "; upgrade the " +
                               (worker_is_old ? "worker (vigil-worker)" : "daemon (vigild)");
    return http::problem_response(409, detail, path);
}

std::string why_kept_out(const std::string& name, const Config& config) {
    if (find_worker_class(config, name) != nullptr) return "";
    return "the config maps no worker '" + name +
           "' to a machine class; add it under workers and reload";
}

WorkerId greet_worker(
    Database& db,
    const std::string& name,
    const ClaimRequest& claim,
    const HandlerContext& context) {
    if (const auto why = why_kept_out(name, context.config); !why.empty()) {
        throw Error(Errc::denied, why);
    }
    const auto worker = upsert_worker(
        db, context.config, name, claim.fingerprint, claim.draining, context.now_s, claim.words);
    meet_process(db, context.config.jobs, worker, claim.instance, context.now_s);
    return worker;
}

http::Response lease_response(Lease lease, const ClaimRequest& claim) {
    if (claim.instance.empty()) lease.key.clear();
    return object_response(wire::to_json(lease));
}

http::Response post_heartbeat(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto [job, attempt] = attempt_path(request);
    const auto body = wire::parse_json(request.body, "the heartbeat");
    wire::ObjectReader reader(body, "heartbeat");
    const auto progress = reader.text_or("progress", "", max_progress_bytes);
    reader.done();
    const auto worker = caller_worker(db, request);
    const auto reply =
        heartbeat(db, context.config.jobs, job, attempt, worker, progress, context.moment());
    return object_response({{"cancel", reply.cancel}, {"ttl_s", reply.ttl_s}});
}

WrittenResult read_result(const http::Request& request, const std::string& body) {
    check_query(request, {});
    const auto what = "the result of job " + to_string(attempt_path(request).job);
    return write_result(wire::parse_job_result(wire::parse_json(body, what)));
}

http::Response take_result(
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    const WrittenResult& result) {
    const auto [job, attempt] = attempt_path(request);
    const auto worker = caller_worker(db, request);
    const auto taking =
        finish_job(db, context.config.jobs, job, attempt, worker, result, context.now_s);
    if (taking == Taking::stale) {  // an answer, not a throw: that it came stays recorded
        return http::problem_response(
            409,
            "attempt " + std::to_string(attempt) + " of job " + to_string(job) +
                " is over; drop this result",
            request.path);
    }
    if (taking == Taking::foreign) {
        return http::problem_response(
            409,
            "attempt " + std::to_string(attempt) + " of job " + to_string(job) +
                " in this ledger is another one: the result is of a ledger before this one; set "
                "it aside",
            request.path);
    }
    http::Response response;
    response.status = 204;
    return response;
}

}  // namespace vigil::service
