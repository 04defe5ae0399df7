#pragma once

#include <string>

#include "service/http/auth.hpp"
#include "tests/integration/service/http/recorder.hpp"

// What every route refuses by what it is: who asks, for what, with what body, and how often.

namespace vigil::service::testing {

/// Callers of a service that opens nothing.
class Callers {
  public:
    Callers() : service_(strict) {
        for (const auto scope :
             {Scope::read, Scope::ingest, Scope::trigger, Scope::triage, Scope::admin}) {
            secrets_[scope] = service_.token("of-" + std::string(to_string(scope)), scope);
        }
        secrets_[Scope::worker] = service_.token("worker-one", Scope::worker);
    }

    const Service& service() const { return service_; }
    /// A token that may, or one that may not.
    http::Client able(const Route& route) const { return service_.client(able_secret(route)); }
    std::string able_secret(const Route& route) const {
        const auto scopes = scopes_of(route.access);
        return scopes.empty() ? "" : secrets_.at(scopes.front());
    }
    http::Client unable(const Route& route) const {
        const auto scopes = scopes_of(route.access);
        const bool reads = std::ranges::count(scopes, Scope::read) > 0;
        return service_.client(secrets_.at(reads ? Scope::ingest : Scope::read));
    }

  private:
    static void strict(Config& config) {
        config.http.open_reads = OpenReads::never;
        const auto file = std::filesystem::path(config.state_dir) / "secret";
        std::ofstream(file) << "a secret\n";
        config.webhook = WebhookConfig{file.string(), {{"owner/name", "demo"}}};
    }

    Service service_;
    std::map<Scope, std::string> secrets_;
};

inline http::Headers fields_of(const Route& route) {
    if (route.body != BodyRule::webhook) return {};
    return {
        {"x-github-delivery", "d1"},
        {"x-github-event", "push"},
        {"x-hub-signature-256", "sha256=" + hash_of('0', 64)}};
}

/// Bodies that are too long, of the wrong type, or no JSON.
inline void refuse_bodies(Recorder& recorder, const Callers& callers, const Route& route) {
    const std::string method(route.method);
    const std::string pattern(route.pattern);
    const auto path = nowhere(pattern);
    auto fields = fields_of(route);
    const auto send = [&](const std::string& body, const http::Headers& more) {
        auto all = fields;
        all.insert(more.begin(), more.end());
        recorder.note(method, pattern, path, callers.able(route).send(method, path, body, all));
    };
    send("{", {{"content-type", "application/json"}});
    send("{}", {{"content-type", "text/plain"}});
    send("{}", {{"content-type", "application/json"}, {"content-encoding", "br"}});
    const auto secret = callers.able_secret(route);
    if (!secret.empty()) fields["authorization"] = "Bearer " + secret;
    fields["content-type"] = "application/json";
    fields["content-length"] = "99999999999999";
    recorder.note(method, pattern, path, ask_raw(callers.service(), method, path, fields));
}

inline void refuse_route(Recorder& recorder, const Callers& callers, const Route& route) {
    const std::string method(route.method);
    const std::string pattern(route.pattern);
    const auto path = nowhere(pattern);
    const auto able = callers.able(route);
    const auto note = [&](const http::Client& client,
                          const std::string& target,
                          const http::Headers& fields = {}) {
        const bool wants_body = route.body == BodyRule::json || route.body == BodyRule::result;
        auto all = fields_of(route);
        all.insert(fields.begin(), fields.end());
        const auto answer = client.send(method, target, wants_body ? "{}" : "", all);
        recorder.note(method, pattern, target, answer);
        return answer;
    };
    if (route.access != Access::everyone) {
        CHECK(note(callers.service().client(), path).status == 401);
        CHECK(note(callers.unable(route), path).status == 403);
    }
    if (route.place == WorkPlace::stream) {
        CHECK(note(able, path + "?nonsense=1").status == 400);
        return;
    }
    // What watches the service may ask as it likes.
    const bool is_probe = route.place == WorkPlace::alive || route.place == WorkPlace::ready ||
                          route.place == WorkPlace::metrics;
    if (!is_probe) CHECK(note(able, path + "?nonsense=1").status >= 400);
    if (path != pattern) CHECK(note(able, path).status >= 400);
    if (route.method == "GET") return;
    const auto stale = note(able, path, {{"if-match", "\"of-old\""}}).status;
    CHECK((stale == 412 || stale == 404));
    if (route.body != BodyRule::none) refuse_bodies(recorder, callers, route);
}

/// Every route, refused in every way that needs no row.
inline void refuse_all(Recorder& recorder) {
    const Callers callers;
    for (const auto& route : all_routes()) {
        CAPTURE(route.method, route.pattern);
        refuse_route(recorder, callers, route);
    }
    // Who guesses tokens has to wait, wherever they guess.
    const auto guest = callers.service().client("a guess");
    for (const auto& route : all_routes()) {
        if (route.access == Access::everyone) continue;
        const std::string method(route.method);
        const auto path = nowhere(route.pattern);
        auto answer = guest.send(method, path);
        for (int i = 0; i < 1000 && answer.status != 429; ++i) answer = guest.send(method, path);
        CAPTURE(method, path);
        CHECK(answer.status == 429);
        recorder.note(method, std::string(route.pattern), path, answer);
    }
}

}  // namespace vigil::service::testing
