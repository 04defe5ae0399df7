#include "service/http/auth.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "schema/text/characters.hpp"
#include "schema/text/nearest.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/fleet/worker_protocol.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_secret_bytes = 256;

/// A badge that the config shows to everybody.
bool is_open_badge(const Route& route, const http::Request& request, const Config& config) {
    if (route.handler != get_badge) return false;
    const auto project = config.projects.find(request.parameters.at("name"));
    return project != config.projects.end() && project->second.badge;
}

}  // namespace

std::vector<Scope> scopes_of(Access access) {
    switch (access) {
        case Access::everyone: break;
        case Access::read: return {Scope::read};
        case Access::ingest: return {Scope::ingest};
        case Access::trigger: return {Scope::trigger};
        case Access::triage: return {Scope::triage};
        case Access::worker: return {Scope::worker};
        case Access::transfer: return {Scope::worker, Scope::admin};
        case Access::administrate: return {Scope::admin};
    }
    return {};
}

std::optional<std::string> bearer_secret(const http::Headers& headers) {
    const auto found = headers.find("authorization");
    if (found == headers.end()) return std::nullopt;
    const std::string_view value = found->second;
    const auto space = std::min(value.find(' '), value.size());
    if (text::lower_case(value.substr(0, space)) != "bearer" || space == value.size()) return "";
    const auto secret = value.substr(space + 1);
    if (secret.size() > max_secret_bytes) return "";
    return std::string(secret);
}

bool is_loopback(const std::string& address) {
    return address.starts_with("127.") || address == "::1" || address == "localhost";
}

bool names_loopback(const std::string& host) {
    const bool numeric =
        host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos;
    return numeric || host == "::1" || host == "localhost";
}

bool is_forwarded(const http::Headers& headers) {
    static constexpr std::array<std::string_view, 7> marks{
        "forwarded",
        "via",
        "x-real-ip",
        "x-client-ip",
        "true-client-ip",
        "cf-connecting-ip",
        "x-original-host"};
    return std::any_of(headers.begin(), headers.end(), [](const auto& field) {
        return field.first.starts_with("x-forwarded-") ||
               std::find(marks.begin(), marks.end(), field.first) != marks.end();
    });
}

bool may_read_openly(OpenReads open, Trust trust) {
    if (!trust.bound_to_loopback) return false;
    switch (open) {
        case OpenReads::never: return false;
        case OpenReads::local: return trust.host_is_loopback && !trust.forwarded;
        case OpenReads::proxied: return trust.host_is_loopback || trust.forwarded;
    }
    return false;
}

bool may_read_openly(
    const Route& route, const http::Request& request, const Config& config, Trust trust) {
    const bool is_page = route.reply == Reply::page;
    const auto open = is_page ? config.http.open_pages : config.http.open_reads;
    return may_read_openly(open, trust) || is_open_badge(route, request, config);
}

std::optional<Refusal> check_access(
    Access access,
    const std::optional<http::Caller>& caller,
    bool secret_given,
    bool open_read,
    std::int64_t now_s) {
    if (access == Access::everyone) return std::nullopt;
    if (!caller) {
        if (secret_given) return Refusal{401, "the token is not known, or was revoked"};
        if (access == Access::read && open_read) return std::nullopt;
        return Refusal{401, "send a token: Authorization: Bearer <secret>"};
    }
    if (caller->expires_at_s && *caller->expires_at_s <= now_s) {
        return Refusal{401, "the token " + caller->name + " has expired; ask for a new one"};
    }
    std::vector<std::string> asked;
    for (const auto scope : scopes_of(access)) {
        if (caller->scopes.may(scope)) return std::nullopt;
        asked.emplace_back(to_string(scope));
    }
    return Refusal{
        403,
        "the token " + caller->name + " has scope " + to_string(caller->scopes) +
            "; this asks for scope " + text::joined(asked, " or ")};
}

std::optional<Refusal> check_worker(
    Access access, const http::Caller& caller, const Config& config) {
    const bool is_admin = access == Access::transfer && caller.scopes.may(Scope::admin);
    if (is_admin || (access != Access::worker && access != Access::transfer)) return std::nullopt;
    auto why = why_kept_out(caller.name, config);
    if (why.empty()) return std::nullopt;
    return Refusal{403, std::move(why)};
}

}  // namespace vigil::service
