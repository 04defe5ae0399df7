#include "service/api/hooks.hpp"

#include <fstream>
#include <iterator>
#include <optional>
#include <span>

#include <nlohmann/json.hpp>

#include "schema/wire/digest.hpp"
#include "schema/wire/json.hpp"
#include "service/api/handlers.hpp"
#include "service/api/listing.hpp"
#include "service/schedule/trigger.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_delivery_id_bytes = 150;
constexpr std::size_t max_event_bytes = 100;

std::string read_secret(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string secret{std::istreambuf_iterator<char>(file), {}};
    while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r')) secret.pop_back();
    if (!file || secret.empty()) {
        throw Error(
            Errc::internal,
            "reading the webhook's secret from " + path + " failed; put the secret into that file");
    }
    return secret;
}

std::string text_at(const nlohmann::json& body, const nlohmann::json::json_pointer& pointer) {
    if (!body.contains(pointer)) return "";
    const auto& value = body.at(pointer);
    return value.is_string() ? value.get<std::string>() : std::string();
}

/// What a delivery asks for: a project to look at, or why there is nothing to do.
struct Reading {
    std::optional<std::string> project;
    std::string message;
};

Reading read_push(const std::string& text, const Config& config) {
    nlohmann::json body;
    try {
        body = wire::parse_json(text, "the payload");
    } catch (const Error& error) {
        return {std::nullopt, std::string(error.what()) + "; set the hook to application/json"};
    }
    const auto name = text_at(body, nlohmann::json::json_pointer("/repository/full_name"));
    const auto watched = config.webhook->projects.find(name);
    if (watched == config.webhook->projects.end()) {
        return {std::nullopt, "no project of the config watches this repository"};
    }
    const auto project = config.projects.find(watched->second);
    if (project == config.projects.end()) {
        return {std::nullopt, "the config has no project " + watched->second};
    }
    const auto& branch = project->second.source.branch;
    if (text_at(body, nlohmann::json::json_pointer("/ref")) != "refs/heads/" + branch) {
        return {std::nullopt, "not the watched branch " + branch};
    }
    if (body.value("deleted", nlohmann::json(false)) == nlohmann::json(true)) {
        return {std::nullopt, "the branch was deleted"};
    }
    return {project->first, "push to " + branch};
}

http::Response delivery_response(std::int64_t id, const std::string& state, bool replay) {
    const nlohmann::json reply = {{"delivery", id}, {"state", state}, {"replay", replay}};
    return object_response(reply, 202);
}

std::optional<http::Response> note_replay(
    Database& db, const std::string& external_id, std::int64_t now_s) {
    std::int64_t id = 0;
    std::string state;
    {
        auto rows = db.query("SELECT id, state FROM delivery WHERE external_id = ?1", external_id);
        if (!rows.next()) return std::nullopt;
        id = rows.get<std::int64_t>(0);
        state = rows.get<std::string>(1);
    }
    db.execute("UPDATE delivery SET replays = replays + 1 WHERE id = ?1", id);
    record_event(
        db,
        now_s,
        "delivery.replayed",
        std::nullopt,
        "delivery/" + std::to_string(id),
        "a delivery came again; it was acted on before and is not acted on now");
    return delivery_response(id, state, true);
}

std::string required_header(
    const http::Request& request, const std::string& name, std::size_t max_bytes) {
    const auto value = request.header(name);
    if (!value || value->empty() || value->size() > max_bytes) {
        throw Error(Errc::invalid_argument, "the header field " + name + " is missing or too long");
    }
    return *value;
}

}  // namespace

std::optional<http::Response> refuse_signature(const http::Request& request, const Config& config) {
    if (!config.webhook) {
        return http::problem_response(404, "the config has no webhook", request.path);
    }
    const auto secret = read_secret(config.webhook->secret_file);
    const auto expected = "sha256=" + wire::hmac_sha256_hex(secret, request.body);
    const auto given = request.header("x-hub-signature-256").value_or("");
    if (wire::equal_constant_time(expected, given)) return std::nullopt;
    return http::problem_response(401, "the signature does not fit the body", request.path);
}

http::Response post_github_hook(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const auto external_id = required_header(request, "x-github-delivery", max_delivery_id_bytes);
    const auto event = required_header(request, "x-github-event", max_event_bytes);
    if (auto replay = note_replay(db, external_id, context.now_s)) return *replay;
    const auto reading = event == "push" ? read_push(request.body, context.config)
                                         : Reading{std::nullopt, "events of this kind ask nothing"};
    const std::string state = reading.project ? "acted" : "ignored";
    const auto bytes = std::as_bytes(std::span(request.body));
    db.execute(
        "INSERT INTO delivery (external_id, event, body_digest, body, state, message,"
        " received_at_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        external_id,
        event,
        wire::sha256(request.body),
        Blob(bytes),
        state,
        reading.message,
        context.now_s);
    const auto id = db.last_insert_id();
    std::optional<ProjectId> project;
    if (reading.project) {
        project = ensure_project(db, *reading.project, context.now_s);
        request_nightly(
            db,
            *project,
            TriggerCause::delivery,
            "delivery:" + external_id,
            std::nullopt,
            context.now_s);
    }
    record_event(
        db,
        context.now_s,
        "delivery." + state,
        project,
        "delivery/" + std::to_string(id),
        reading.message);
    return delivery_response(id, state, false);
}

}  // namespace vigil::service
