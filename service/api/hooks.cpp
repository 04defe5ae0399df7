#include "service/api/hooks.hpp"

#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/text/characters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/schedule/trigger.hpp"
#include "service/store/content_index.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/work/deliveries.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_delivery_id_bytes = 150;
constexpr std::size_t max_event_bytes = 100;
constexpr const char* signature_field = "x-hub-signature-256";

/// What a file holds, without the end of its line; empty when it cannot be read.
std::string read_secret(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string secret{std::istreambuf_iterator<char>(file), {}};
    while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r')) secret.pop_back();
    return file ? secret : "";
}

bool is_signed(const std::string& body, const std::string& secret, const std::string& signature) {
    const auto expected = "sha256=" + wire::hmac_sha256_hex(secret, body);
    return wire::equal_constant_time(expected, signature);
}

bool fits(const std::string& body, const std::string& signature, const WebhookConfig& webhook) {
    const auto secret = read_secret(webhook.secret_file);
    if (secret.empty()) {
        throw Error(
            Errc::internal,
            "reading the webhook's secret from " + webhook.secret_file +
                " failed; put the secret into that file");
    }
    if (is_signed(body, secret, signature)) return true;
    if (webhook.old_secret_file.empty()) return false;
    const auto old = read_secret(webhook.old_secret_file);
    return !old.empty() && is_signed(body, old, signature);
}

/// What the event asks for. GitHub's other content type is a form, signed as it was sent.
HookWish read_wish(
    const http::Request& request,
    const std::string& event,
    const std::string& body,
    const Config& config,
    const HookedRepositories& known) {
    const auto type = text::lower_case(request.header("content-type").value_or(""));
    if (!type.starts_with("application/x-www-form-urlencoded")) {
        return read_hook_event(event, body, config, known);
    }
    const auto form = http::parse_form(body);
    const auto payload = form ? form->find("payload") : decltype(form->begin()){};
    if (!form || payload == form->end()) return {std::nullopt, "the form has no field payload"};
    return read_hook_event(event, payload->second, config, known);
}

/// Where the issue was filed, if that was under a name which the repository had before.
std::string filed_address(
    Database& db, const NewCommand& command, const std::optional<HookedRepository>& repository) {
    const auto now = repository ? "/" + repository->name + "/issues/" : std::string();
    const auto at = command.issue_url.find(now);
    if (now.empty() || at == command.issue_url.npos) return command.issue_url;
    if (find_regression_at(db, command.target, command.issue_url)) return command.issue_url;
    const auto known = hooked_repositories(db);
    const auto names = known.find(repository->github_id);
    if (names == known.end()) return command.issue_url;
    for (const auto& name : names->second) {
        auto before = command.issue_url;
        before.replace(at, now.size(), "/" + name + "/issues/");
        if (find_regression_at(db, command.target, before)) return before;
    }
    return command.issue_url;
}

http::Response delivery_response(std::int64_t id, const std::string& state, bool replay) {
    return object_response({{"delivery", id}, {"state", state}, {"replay", replay}}, 202);
}

/// The answer to an id that came before.
http::Response answer_replay(
    Database& db,
    const Delivery& delivery,
    const DeliveryRow& before,
    const std::string& path,
    std::int64_t now_s) {
    const auto subject = "delivery/" + std::to_string(before.id);
    if (before.body_digest != delivery.body_digest || before.event != delivery.event) {
        const std::string why =
            "a delivery with this id came before with another body; nothing was done for this one";
        record_event(db, now_s, "delivery.conflict", std::nullopt, subject, why);
        return http::problem_response(409, why, path);
    }
    note_replay(db, before.id);
    const char* words = "a delivery came again; it was acted on before and is not acted on now";
    record_event(db, now_s, "delivery.replayed", std::nullopt, subject, words);
    return delivery_response(before.id, before.state, true);
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

std::optional<http::Response> refuse_hook(const http::Request& request, const Config& config) {
    if (!config.webhook) {
        return http::problem_response(404, "the config has no webhook", request.path);
    }
    if (request.header(signature_field)) return std::nullopt;
    return http::problem_response(401, "the delivery is not signed", request.path);
}

std::variant<Delivery, http::Response> read_delivery(
    const http::Request& request,
    const std::string& body,
    const Config& config,
    const HookedRepositories& known) {
    if (auto refusal = refuse_hook(request, config)) return *std::move(refusal);
    if (!fits(body, request.header(signature_field).value_or(""), *config.webhook)) {
        return http::problem_response(401, "the signature does not fit the body", request.path);
    }
    auto external_id = required_header(request, "x-github-delivery", max_delivery_id_bytes);
    auto event = required_header(request, "x-github-event", max_event_bytes);
    auto wish = read_wish(request, event, body, config, known);
    return Delivery{
        std::move(external_id),
        std::move(event),
        wire::sha256(body),
        static_cast<std::int64_t>(body.size()),
        request.body_file ? std::string() : body,
        std::move(wish),
        wire::traceparent_or_new(request.header("traceparent"))};
}

http::Response note_delivery(
    Database& db, const Delivery& delivery, const std::string& path, std::int64_t now_s) {
    const bool is_file = delivery.body_bytes > 0 && delivery.kept_body.empty();
    if (is_file) {
        record_content(db, delivery.body_digest, delivery.body_bytes, ContentKind::delivery, now_s);
    }
    if (const auto before = find_delivery(db, delivery.external_id)) {
        return answer_replay(db, delivery, *before, path, now_s);
    }
    const auto& repository = delivery.wish.repository;
    if (repository) note_hooked_repository(db, repository->github_id, repository->name, now_s);
    std::optional<ProjectId> project;
    bool acts = delivery.wish.project || delivery.wish.command;
    auto message = delivery.wish.message;
    if (const auto& pull = delivery.wish.pull) {
        project = ensure_project(db, pull->project, now_s);
        const auto done = take_pull(db, *project, pull->target, pull->facts, pull->news, now_s);
        acts = done.acted;
        message = done.words;
    }
    if (auto command = delivery.wish.command) {
        command->issue_url = filed_address(db, *command, repository);
        acts = add_command(db, *command, now_s);
        if (!acts) message = "commands of strangers wait already, so this one is not taken";
    }
    const std::string state = acts ? "acted" : "ignored";
    const auto id = add_delivery(
        db,
        {delivery.external_id,
         delivery.event,
         delivery.body_digest,
         delivery.kept_body,
         state,
         message},
        now_s);
    if (delivery.wish.project) {
        project = ensure_project(db, *delivery.wish.project, now_s);
        const auto key = "delivery:" + delivery.external_id;
        request_nightly(
            db, *project, TriggerCause::delivery, key, std::nullopt, now_s, delivery.traceparent);
    }
    const auto subject = "delivery/" + std::to_string(id);
    record_event(db, now_s, "delivery." + state, project, subject, message);
    return delivery_response(id, state, false);
}

}  // namespace vigil::service
