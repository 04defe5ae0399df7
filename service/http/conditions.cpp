#include "service/http/conditions.hpp"

#include <algorithm>
#include <ctime>

#include <nlohmann/json.hpp>

#include "schema/http/accept.hpp"
#include "schema/http/gzip.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/json.hpp"
#include "service/api/common/tags.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_request_id = 64;
constexpr int new_id_bytes = 8;
constexpr std::size_t tag_digits = 32;
constexpr std::size_t least_packed_bytes = 1024;

bool is_id(std::string_view id) {
    return !id.empty() && id.size() <= max_request_id && std::ranges::all_of(id, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-';
    });
}

std::string packed_tag(const std::string& tag) {
    return tag.substr(0, tag.size() - 1) + "-gzip\"";
}

bool is_text(std::string_view type) {
    return type.starts_with("text/") || type.find("json") != type.npos ||
           type.find("yaml") != type.npos || type.find("svg") != type.npos;
}

}  // namespace

bool names_tag(std::string_view list, std::string_view tag) {
    return has_tag(list, [&](std::string_view one) { return one == tag; });
}

void apply_conditions(const http::Request& request, http::Response& response) {
    if (request.method != "GET" || response.status != 200) return;
    auto& tag = response.headers["etag"];
    if (tag.empty()) {
        tag = "\"" + wire::sha256(response.body).str().substr(0, tag_digits) + "\"";
    }
    // Kept by whoever asked, and never given again without asking whether it is still so.
    if (!response.body_file) response.headers.emplace("cache-control", "private, no-cache");
    const auto known = request.header("if-none-match");
    if (!known) return;
    // Who has it packed has it too.
    const auto packed = packed_tag(tag);
    if (names_tag(*known, packed)) {
        tag = packed;
    } else if (!names_tag(*known, tag)) {
        return;
    }
    response.status = 304;
    response.body.clear();
    response.body_file.reset();
    response.headers.erase("content-type");
}

bool is_acceptable(const http::Request& request, const http::Response& response) {
    const auto accepted = request.header("accept").value_or("");
    const auto type = response.headers.find("content-type");
    if (accepted.empty() || response.status != 200 || type == response.headers.end()) return true;
    if (request.query.contains("format")) return true;
    const std::string_view name = type->second;
    return http::accepts(accepted, {name.substr(0, name.find(';'))});
}

void pack(const http::Request& request, http::Response& response) {
    const auto type = response.headers.find("content-type");
    if (response.status != 200 || response.body.size() < least_packed_bytes ||
        type == response.headers.end() || !is_text(type->second)) {
        return;
    }
    auto& vary = response.headers["vary"];
    vary += vary.empty() ? "accept-encoding" : ", accept-encoding";
    const auto accepted = request.header("accept-encoding").value_or("");
    if (!http::accepts(accepted, {"gzip", "x-gzip"})) return;
    response.body = http::gzip(response.body);
    response.headers["content-encoding"] = "gzip";
    const auto tag = response.headers.find("etag");
    if (tag != response.headers.end()) tag->second = packed_tag(tag->second);
}

std::string request_id_of(const http::Headers& headers) {
    const auto given = headers.find("x-request-id");
    if (given != headers.end() && is_id(given->second)) return given->second;
    return wire::random_hex(new_id_bytes);
}

std::string http_date(std::int64_t time_s) {
    const auto time = static_cast<std::time_t>(time_s);
    std::tm utc{};
    gmtime_r(&time, &utc);
    char text[40];
    return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &utc)};
}

void tell_ending(const RouteEnd& ending, http::Response& response) {
    if (ending.deprecated_at_s != 0) {
        response.headers["deprecation"] = "@" + std::to_string(ending.deprecated_at_s);
    }
    if (ending.sunset_at_s != 0) response.headers["sunset"] = http_date(ending.sunset_at_s);
}

void add_request_id(http::Response& response, const std::string& id) {
    response.headers["x-request-id"] = id;
    const auto type = response.headers.find("content-type");
    if (type == response.headers.end() || type->second != "application/problem+json") return;
    auto problem = wire::parse_json(response.body, "a problem of ours");
    problem["request_id"] = id;
    response.body = wire::write_json(problem) + "\n";
}

void add_pointer(http::Response& problem, const std::string& pointer, const std::string& detail) {
    auto body = wire::parse_json(problem.body, "a problem of ours");
    body["errors"] = {{{"pointer", pointer}, {"detail", detail}}};
    problem.body = wire::write_json(body) + "\n";
}

}  // namespace vigil::service
