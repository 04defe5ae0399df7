#include "service/http/request_head.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

/// 0 when the head passes, else the refusal's status.
int status_of_head(const std::string& raw) {
    const auto result = parse_head(raw);
    const auto* refusal = std::get_if<Refusal>(&result);
    if (refusal == nullptr) return 0;
    CHECK_FALSE(refusal->why.empty());
    return refusal->status;
}

std::string get(const std::string& fields, const std::string& line = "GET /healthz HTTP/1.1") {
    return line + "\r\n" + fields + "\r\n";
}

Head accepted(const std::string& raw) {
    auto result = parse_head(raw);
    const auto* refusal = std::get_if<Refusal>(&result);
    INFO((refusal == nullptr ? "" : refusal->why));
    REQUIRE(refusal == nullptr);
    return std::get<Head>(std::move(result));
}

}  // namespace

TEST_CASE("A plain request is read", "[service][http]") {
    const auto head = accepted(
        "POST /api/v1/jobs?limit=5&name=a%20b+c HTTP/1.1\r\nHost: localhost:8321\r\n"
        "Content-Type: application/json\r\nContent-Length: 12\r\nAccept: a\r\naccept:  b \r\n\r\n");
    CHECK(head.method == "POST");
    CHECK(head.target.path == "/api/v1/jobs");
    CHECK(head.target.query.at("name") == "a b c");
    CHECK(head.headers.at("accept") == "a, b");
    CHECK(head.host == "localhost");
    CHECK(head.content_length == 12u);
    CHECK_FALSE(head.chunked);
    CHECK(head.keep_alive);
}

TEST_CASE("A chunked body of HTTP/1.1 passes", "[service][http]") {
    CHECK(accepted(get("Host: h\r\nTransfer-Encoding: Chunked\r\n")).chunked);
}

TEST_CASE("Odd transfer codings are refused", "[service][http]") {
    for (const auto* coding :
         {"xchunked",
          "chunked, gzip",
          "gzip, chunked",
          "identity",
          "",
          "chunked chunked",
          "\"chunked\"",
          "chunked;a=b",
          "chunked, chunked"}) {
        CAPTURE(coding);
        CHECK(
            status_of_head(get("Host: h\r\nTransfer-Encoding: " + std::string(coding) + "\r\n")) ==
            400);
    }
    const std::string chunked = "Host: h\r\nTransfer-Encoding: chunked\r\n";
    CHECK(status_of_head(get(chunked, "POST / HTTP/1.0")) == 400);
    CHECK(status_of_head(get(chunked + "Content-Length: 3\r\n")) == 400);
    CHECK(status_of_head(get(chunked + "Transfer-Encoding: chunked\r\n")) == 400);
    CHECK(status_of_head(get("Host: h\r\nTransfer-Encoding : chunked\r\n")) == 400);
    CHECK(
        status_of_head(get("Host: h\r\nTransfer-Encoding: identity\r\nContent-Length: 1\r\n")) ==
        400);
}

TEST_CASE("Lengths that are not plain digits, or come twice, are refused", "[service][http]") {
    for (const auto* length :
         {"+5", "-5", "5 5", "5, 5", "0x5", "", "5a", "99999999999999999999"}) {
        CAPTURE(length);
        CHECK(
            status_of_head(get("Host: h\r\nContent-Length: " + std::string(length) + "\r\n")) ==
            400);
    }
    CHECK(status_of_head(get("Host: h\r\nContent-Length: 5\r\nContent-Length: 5\r\n")) == 400);
    CHECK(status_of_head(get("Host: h\r\nContent-Length: 5\r\ncontent-length: 6\r\n")) == 400);
}

TEST_CASE("A request needs exactly one sound Host", "[service][http]") {
    CHECK(status_of_head(get("")) == 400);
    CHECK(status_of_head(get("Host: a\r\nHost: a\r\n")) == 400);
    for (const auto* host : {"", "a b", "a/b", "a@b", "[::1", ":80", "a:b", "a:1234567", "a,b"}) {
        CAPTURE(host);
        CHECK(status_of_head(get("Host: " + std::string(host) + "\r\n")) == 400);
    }
    CHECK(status_of_head(get("", "GET / HTTP/1.0")) == 0);
    CHECK(accepted(get("Host: [::1]:8321\r\n")).host == "::1");
}

TEST_CASE("Folded, bare and broken lines are refused", "[service][http]") {
    CHECK(status_of_head(get("Host: h\r\nX-A: one\r\n two\r\n")) == 400);
    CHECK(status_of_head(get("Host: h\r\n\tX-A: one\r\n")) == 400);
    CHECK(status_of_head("GET / HTTP/1.1\nHost: h\n\n") == 400);
    CHECK(status_of_head("GET / HTTP/1.1\r\nHost: h\n\r\n") == 400);
    CHECK(status_of_head(get("Host: h\r\nX-A: a\rb\r\n")) == 400);
    CHECK(
        status_of_head(get("Host: h\r\nX-A: a\x01"
                           "b\r\n")) == 400);
    CHECK(status_of_head(get(std::string("Host: h\r\nX-A: a\0b\r\n", 19))) == 400);
    CHECK(status_of_head(get("Host: h\r\nNoColon\r\n")) == 400);
    CHECK(status_of_head(get("Host: h\r\n: nameless\r\n")) == 400);
    CHECK(status_of_head(get("Host: h\r\nX A: a\r\n")) == 400);
    CHECK(status_of_head("\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n") == 400);
}

TEST_CASE("Request lines and targets must be plain", "[service][http]") {
    for (const auto* line :
         {"GET  / HTTP/1.1",
          "GET / HTTP/1.1 ",
          "GET /",
          "GET",
          "GET / http/1.1",
          "G@T / HTTP/1.1",
          "GET healthz HTTP/1.1",
          "OPTIONS * HTTP/1.1",
          "CONNECT a:80 HTTP/1.1",
          "GET /a/../b HTTP/1.1",
          "GET /a/%2e%2e/b HTTP/1.1",
          "GET /.. HTTP/1.1",
          "GET /./a HTTP/1.1",
          "GET //a HTTP/1.1",
          "GET /a%2fb HTTP/1.1",
          "GET /a%5cb HTTP/1.1",
          "GET /a\\b HTTP/1.1",
          "GET /a%00 HTTP/1.1",
          "GET /a%0a HTTP/1.1",
          "GET /%zz HTTP/1.1",
          "GET /% HTTP/1.1",
          "GET /%ff HTTP/1.1",
          "GET /%c0%ae HTTP/1.1",
          "GET /a#b HTTP/1.1",
          "GET /\x80 HTTP/1.1",
          "GET /?a=1&a=2 HTTP/1.1",
          "GET /?=1 HTTP/1.1",
          "GET http://other/ HTTP/1.1"}) {
        CAPTURE(line);
        CHECK(status_of_head(get("Host: h\r\n", line)) == 400);
    }
    CHECK(accepted(get("Host: h:80\r\n", "GET http://h:80/a HTTP/1.1")).target.path == "/a");
    CHECK(status_of_head(get("Host: h\r\n", "GET / HTTP/2.0")) == 505);
    CHECK(
        status_of_head(get("Host: h\r\n", "GET /" + std::string(5000, 'a') + " HTTP/1.1")) == 414);
}

TEST_CASE("Heads beyond their limits are refused", "[service][http]") {
    std::string fields = "Host: h\r\n";
    for (std::size_t i = 0; i < max_header_fields; ++i)
        fields += "X-" + std::to_string(i) + ": 1\r\n";
    CHECK(status_of_head(get(fields)) == 431);
    CHECK(
        status_of_head(get("Host: h\r\nX-A: " + std::string(max_head_bytes, 'a') + "\r\n")) == 431);
}

TEST_CASE("Expectations and wishes about the connection are understood", "[service][http]") {
    CHECK(accepted(get("Host: h\r\nExpect: 100-Continue\r\n")).expects_continue);
    CHECK(status_of_head(get("Host: h\r\nExpect: 200-ok\r\n")) == 417);
    CHECK_FALSE(accepted(get("Host: h\r\nConnection: te, Close\r\n")).keep_alive);
    CHECK_FALSE(accepted(get("Host: h\r\n", "GET / HTTP/1.0")).keep_alive);
    CHECK(accepted(get("Host: h\r\nConnection: keep-alive\r\n", "GET / HTTP/1.0")).keep_alive);
    CHECK(status_of_head(get("Host: h\r\nAuthorization: a\r\nAuthorization: b\r\n")) == 400);
}
