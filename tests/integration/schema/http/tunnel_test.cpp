// https through a proxy.

#include <catch2/catch.hpp>

#include "schema/http/client.hpp"
#include "tests/support/canned_server.hpp"

using namespace vigil;
using Catch::Contains;

namespace {

struct Proxied {
    test::CannedReply reply;
    test::CannedRequest asked;
    test::CannedServer server{[this](const test::CannedRequest& request) {
        asked = request;
        return reply;
    }};

    http::Exchange call(const std::string& base) {
        http::CallOptions options;
        options.proxy = server.url().substr(std::string("http://").size());
        return http::Client(base, "secret").try_send("POST", "/x", "{}", {}, options);
    }
};

}  // namespace

TEST_CASE("A proxy is asked for a tunnel, and sees nothing of what goes through", "[schema]") {
    Proxied proxied;
    const auto exchange = proxied.call("https://tracker.invalid:8443/api");
    CHECK(proxied.asked.method == "CONNECT");
    CHECK(proxied.asked.target == "tracker.invalid:8443");
    CHECK(proxied.asked.headers.at("host") == "tracker.invalid:8443");
    CHECK_FALSE(proxied.asked.headers.contains("authorization"));
    CHECK(exchange.progress == http::SendProgress::not_sent);  // no TLS came of it
}

TEST_CASE("A proxy that refuses is named, and nothing was sent", "[schema][http]") {
    Proxied proxied;
    proxied.reply.status = 403;
    const auto exchange = proxied.call("https://tracker.invalid");
    CHECK(exchange.progress == http::SendProgress::not_sent);
    CHECK_THAT(exchange.message, Contains("the proxy gives no way to tracker.invalid:443"));
    CHECK_THAT(exchange.message, Contains("403"));
}

TEST_CASE("What is not encrypted goes to this machine, without the proxy", "[schema][http]") {
    Proxied proxied;
    test::CannedServer here([](const test::CannedRequest&) { return test::CannedReply{}; });
    CHECK(proxied.call(here.url()).progress == http::SendProgress::answered);
    CHECK(proxied.asked.method.empty());
}
