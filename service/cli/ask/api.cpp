#include "service/cli/ask/api.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/wire/json.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/common/display.hpp"

namespace vigil::cli {

namespace {

constexpr std::int64_t max_page = 500;
constexpr std::chrono::hours longest_stream{24};

/// What another kind of server says is as good as no answer.
nlohmann::json parse_answer(const std::string& body) {
    try {
        auto answer = wire::parse_json(body, "the answer");
        if (answer.is_object()) return answer;
    } catch (const Error& error) {
        throw Error(Errc::unavailable, std::string("not a Vigil server: ") + error.what());
    }
    throw Error(Errc::unavailable, "not a Vigil server: the answer is not an object");
}

/// Where the answer goes on, from `Link: </path?query>; rel="next"`; empty at its end. A page
/// without a line is the end whatever the server says, or a bad one could go on for ever.
std::string next_page(const http::Response& response) {
    const auto link = response.headers.find("link");
    if (link == response.headers.end() || response.body.empty()) return "";
    const std::string& text = link->second;
    const auto end = text.find(">; rel=\"next\"");
    if (!text.starts_with("</") || end == text.npos) return "";
    return text.substr(1, end - 1);
}

}  // namespace

http::Response Api::call(
    const std::string& method,
    const std::string& path,
    const std::string& body,
    const http::Headers& headers,
    const http::CallOptions& options) const {
    http::Response response = client_.send(method, path, body, headers, options);
    if (response.ok()) return response;
    std::string why = printable(http::failure_text(response));
    if (response.status == 401 || response.status == 403) {
        why += " (give a token: --token-file, VIGIL_TOKEN_FILE or ~/.config/vigil/token)";
    }
    throw Error(http::errc_of(response.status), why);
}

nlohmann::json Api::get(const std::string& path) const {
    return parse_answer(call("GET", path, "", {}).body);
}

std::string Api::get_text(const std::string& path) const {
    return call("GET", path, "", {}).body;
}

void Api::each_page(
    const std::string& path, const std::function<void(const std::string&)>& take) const {
    std::string next = path;
    while (!next.empty()) {
        const auto response = call("GET", next, "", {});
        take(response.body);
        next = next_page(response);
    }
}

nlohmann::json Api::list(
    const std::string& path, std::map<std::string, std::string> filters, std::int64_t limit) const {
    auto items = nlohmann::json::array();
    while (static_cast<std::int64_t>(items.size()) < limit) {
        const std::int64_t missing = limit - static_cast<std::int64_t>(items.size());
        filters["limit"] = std::to_string(std::min(missing, max_page));
        const auto page = get(path + http::query_string(filters));
        const auto& found = array_at(page, "items");
        for (const auto& item : found) {
            if (item.is_object()) items.push_back(item);
        }
        const std::string cursor = text_at(page, "next_cursor");
        if (cursor.empty() || found.empty()) break;
        filters["cursor"] = cursor;
    }
    return items;
}

void Api::each_part(
    const std::string& path,
    std::map<std::string, std::string> filters,
    std::int64_t limit,
    const std::string& format,
    const std::function<void(const std::string&)>& take) const {
    filters["format"] = format;
    while (limit > 0) {
        const auto size = std::min(limit, max_page);
        filters["limit"] = std::to_string(size);
        const auto response = call("GET", path + http::query_string(filters), "", {});
        take(response.body);
        const auto next = http::parse_target(next_page(response));
        if (!next || !next->query.contains("cursor")) return;
        filters["cursor"] = next->query.at("cursor");
        limit -= size;
    }
}

std::string Api::follow(
    const std::string& path,
    const std::string& last,
    const std::function<bool(std::string_view)>& take) const {
    std::atomic<bool> stop = false;
    bool began = false;
    http::CallOptions options;
    options.timeout = longest_stream;
    options.max_response_bytes = std::numeric_limits<std::int64_t>::max();
    options.least_bytes_a_minute = 1;  // a heartbeat is more
    options.stop = &stop;
    options.take = [&](std::string_view bytes) {
        began = true;
        if (!stop && !take(bytes)) stop = true;
    };
    const auto exchange = client_.try_send("GET", path, "", {{"last-event-id", last}}, options);
    if (began) return "";
    if (exchange.progress != http::SendProgress::answered) return printable(exchange.message);
    if (exchange.response.ok()) return "the server sends no events";
    return printable(http::failure_text(exchange.response));
}

nlohmann::json Api::post(
    const std::string& path, const nlohmann::json& body, const std::string& idempotency_key) const {
    http::Headers headers;
    if (!idempotency_key.empty()) headers["idempotency-key"] = idempotency_key;
    const auto response = call("POST", path, wire::write_json(body), headers);
    if (response.body.empty()) return nlohmann::json::object();
    return parse_answer(response.body);
}

nlohmann::json Api::post_text(
    const std::string& path, const std::string& body, const std::string& type) const {
    http::CallOptions options;
    options.timeout = std::chrono::minutes(10);
    return parse_answer(call("POST", path, body, {{"content-type", type}}, options).body);
}

void Api::remove(const std::string& path) const {
    call("DELETE", path, "", {});
}

}  // namespace vigil::cli
