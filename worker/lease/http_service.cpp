#include "worker/lease/http_service.hpp"

#include <chrono>

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "worker/lease/trace.hpp"

namespace vigil::worker {

namespace {

using std::chrono::seconds;

constexpr seconds patience{15};            // beyond a long poll's own time
constexpr seconds transfer_time{30 * 60};  // for one content
constexpr std::int64_t max_answer_bytes = std::int64_t{64} << 20;

[[noreturn]] void fail(const std::string& attempt, const http::Response& response) {
    throw Error(http::errc_of(response.status), attempt + ": " + http::failure_text(response));
}

std::string job_path(JobId job, int attempt) {
    return "/api/v1/worker/jobs/" + to_string(job) + "/attempts/" + std::to_string(attempt);
}

std::string content_path(const Digest& digest) {
    return "/api/v1/content/" + digest.str();
}

}  // namespace

HttpService::HttpService(
    const std::string& server,
    const std::string& token,
    const std::atomic<bool>& draining,
    const std::string& content_from)
    : client_(server, token), draining_(draining), cache_("the cache " + content_from) {
    if (!content_from.empty()) cache_client_.emplace(content_from, token);
}

std::optional<Lease> HttpService::claim(const Claim& claim, int wait_s) {
    const nlohmann::json body = {
        {"protocol", protocol_version},
        {"fingerprint", wire::to_json(claim.fingerprint)},
        {"wait_s", wait_s},
        {"draining", claim.draining},
        {"instance", claim.instance},
        {"containment", claim.containment},
        {"cannot_work", claim.cannot_work}};
    http::CallOptions options;
    options.timeout = seconds(wait_s) + patience;
    options.stop = &draining_;
    const auto response =
        client_.send("POST", "/api/v1/worker/claim", wire::write_json(body), {}, options);
    if (response.status == 204) return std::nullopt;
    if (response.status != 200) fail("claiming a job", response);
    auto lease = wire::parse_lease(wire::parse_json(response.body, "the lease"));
    traceparent_ = trace_of(lease);
    return lease;
}

http::Headers HttpService::trace_header() const {
    if (traceparent_.empty()) return {};
    return {{"traceparent", traceparent_}};
}

http::CallOptions HttpService::transfer_options(std::int64_t max_bytes) const {
    http::CallOptions options;
    options.timeout = transfer_time;
    options.max_response_bytes = max_bytes;
    options.headers = trace_header();
    return options;
}

HeartbeatReply HttpService::heartbeat(JobId job, int attempt, const std::string& progress) {
    const nlohmann::json body = {{"progress", progress}};
    const auto response = client_.send(
        "POST", job_path(job, attempt) + "/heartbeat", wire::write_json(body), trace_header());
    if (response.status != 200) fail("renewing the lease of job " + to_string(job), response);
    const auto json = wire::parse_json(response.body, "the heartbeat's reply");
    wire::ObjectReader reader(json, "reply");
    // A cancelled job has no lease: 0.
    return {reader.flag("cancel"), reader.integer("ttl_s", wire::not_negative)};
}

void HttpService::put_result(JobId job, int attempt, const std::string& result) {
    const auto response =
        client_.send("PUT", job_path(job, attempt) + "/result", result, trace_header());
    if (!response.ok()) fail("sending the result of job " + to_string(job), response);
}

void HttpService::fetch_content(
    const Digest& digest, const std::filesystem::path& file, std::int64_t max_bytes) {
    const auto options = transfer_options(max_bytes);
    const auto path = content_path(digest);
    if (cache_client_ && cache_.is_open()) {
        if (cache_.fetch(*cache_client_, path, digest, file, options)) return;
    }
    auto response =
        client_.download(store_.is_open() ? path + "?redirect=true" : path, file, options);
    if (response.status == 307) {
        if (fetch_from_store(response, digest, file, options)) return;
        response = client_.download(path, file, options);
    }
    if (!response.ok()) fail("fetching the content " + digest.str(), response);
}

// One hop, to where the daemon says, and without the daemon's token.
bool HttpService::fetch_from_store(
    const http::Response& redirect,
    const Digest& digest,
    const std::filesystem::path& file,
    const http::CallOptions& options) {
    try {
        const auto location = redirect.headers.find("location");
        const auto there =
            http::parse_url(location == redirect.headers.end() ? "" : location->second);
        const http::Client store(
            (there.base.secure ? "https://" : "http://") + there.base.authority());
        return store_.fetch(store, there.path, digest, file, options);
    } catch (const Error& error) {
        store_.note_failure(error.what());
        return false;
    }
}

void HttpService::put_content(
    const Digest& digest, ContentKind kind, const std::filesystem::path& file) {
    if (client_.send("HEAD", content_path(digest), "", trace_header()).ok()) return;
    const std::string query = "?kind=" + std::string(to_string(kind));
    const auto response =
        client_.upload(content_path(digest) + query, file, transfer_options(max_answer_bytes));
    if (!response.ok()) fail("sending the content " + digest.str(), response);
}

}  // namespace vigil::worker
