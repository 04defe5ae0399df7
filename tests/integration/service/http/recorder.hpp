#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/text/characters.hpp"
#include "schema/wire/json.hpp"
#include "service/api/route.hpp"
#include "service/http/request_head.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

// What was asked and answered, to be held against openapi.yaml.

namespace vigil::service::testing {

/// A path of the pattern that names nothing that is there.
inline std::string nowhere(std::string_view pattern) {
    std::string path(pattern);
    for (auto at = path.find('{'); at != path.npos; at = path.find('{')) {
        const auto end = path.find('}');
        const auto name = path.substr(at + 1, end - at - 1);
        path.replace(at, end - at + 1, name == "digest" ? hash_of('e', 64) : "999");
    }
    return path;
}

/// One request as it is written here, on a connection of its own: its body need not be what the
/// fields say.
inline http::Response ask_raw(
    const Service& service,
    const std::string& method,
    const std::string& path,
    const http::Headers& fields) {
    std::string text = method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n";
    for (const auto& [name, value] : fields) text.append(name + ": " + value + "\r\n");
    RawSocket socket(service.port());
    socket.try_send(text + "Connection: close\r\n\r\n");
    const auto answer = socket.read_all();
    http::Response response;
    response.status = status_of(answer);
    const auto end = answer.find("\r\n\r\n");
    REQUIRE(end != answer.npos);
    response.body = answer.substr(end + 4);
    for (auto at = answer.find("\r\n"); at < end;) {
        const auto next = answer.find("\r\n", at + 2);
        const auto line = answer.substr(at + 2, next - at - 2);
        const auto colon = line.find(": ");
        response.headers[text::lower_case(line.substr(0, colon))] = line.substr(colon + 2);
        at = next;
    }
    return response;
}

struct Recorder {
    explicit Recorder(http::Client caller) : client(std::move(caller)) {}

    /// What is there, or is done. A GET is asked for once more by who has it, by who
    /// takes no such form, and by HEAD; a change
    /// is tried upon what is no longer so, and with its key and another body.
    http::Response call(
        const std::string& method,
        const std::string& pattern,
        const std::string& path,
        const std::string& body = "") {
        const bool reads = method == "GET" || method == "HEAD";
        const http::Headers key{{"idempotency-key", "k" + std::to_string(exchanges.size())}};
        if (!reads) {
            const auto stale = client.send(method, path, body, {{"if-match", "\"of-old\""}});
            CHECK(stale.status == 412);
            note(method, pattern, path, stale);
        }
        auto answer = client.send(method, path, body, reads ? http::Headers{} : key);
        CAPTURE(method, path, answer.status, answer.body);
        CHECK(answer.ok());
        note(method, pattern, path, answer);
        if (method == "GET") ask_again(pattern, path, answer);
        if (!reads && method != "DELETE" && answer.ok()) {
            note(method, pattern, path, client.send(method, path, R"({"other":1})", key));
        }
        return answer;
    }

    void ask_again(
        const std::string& pattern, const std::string& path, const http::Response& answer) {
        const auto head = client.send("HEAD", path);
        CHECK(head.status == answer.status);
        CHECK(head.body.empty());
        const auto tag = answer.headers.find("etag");
        if (tag == answer.headers.end()) return;
        note("GET", pattern, path, client.send("GET", path, "", {{"if-none-match", tag->second}}));
        if (!pattern.starts_with("/api/")) return;
        note("GET", pattern, path, client.send("GET", path, "", {{"accept", "no/such"}}));
    }

    void note(
        const std::string& method,
        const std::string& pattern,
        const std::string& path,
        const http::Response& answer) {
        nlohmann::json exchange = {
            {"method", method == "HEAD" ? "GET" : method}, {"pattern", pattern}};
        exchange["status"] = answer.status;
        const auto type = answer.headers.find("content-type");
        exchange["content_type"] = type == answer.headers.end() ? "" : type->second;
        const auto media = exchange["content_type"].get<std::string>();
        const bool json = media == "application/json" || media == "application/problem+json";
        exchange["body"] = json ? wire::parse_json(answer.body, path) : nlohmann::json(answer.body);
        exchange["query"] = answer.ok() ? nlohmann::json(http::parse_target(path)->query)
                                        : nlohmann::json::object();
        exchanges.push_back(exchange);
    }

    /// What another one has recorded.
    void take(const Recorder& other) {
        exchanges.insert(exchanges.end(), other.exchanges.begin(), other.exchanges.end());
    }

    http::Client client;
    nlohmann::json exchanges = nlohmann::json::array();
};

}  // namespace vigil::service::testing
