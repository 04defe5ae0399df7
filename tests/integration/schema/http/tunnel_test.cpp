// https through a proxy.

#include <catch2/catch.hpp>

#include "schema/http/client.hpp"
#include "tests/support/believed.hpp"
#include "tests/support/canned_server.hpp"

using namespace vigil;
using Catch::Contains;

namespace {

struct Proxied {
    test::CannedReply reply;
    test::CannedRequest asked;
    test::Certificate certificate{"tracker.invalid"};
    test::CannedServer server{
        [this](const test::CannedRequest& request) {
            (request.method == "CONNECT" ? asked : through) = request;
            return reply;
        },
        &certificate};
    test::CannedRequest through;  ///< what came out at the other end

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
    CHECK(exchange.progress == http::SendProgress::not_sent);  // a stranger is at its end
    CHECK_THAT(exchange.message, Contains("the certificate of tracker.invalid is not believed"));
    CHECK_THAT(exchange.message, Contains("SSL_CERT_FILE"));
    CHECK(proxied.through.method.empty());
}

TEST_CASE("Through a tunnel everything reaches the machine that is meant", "[schema][http]") {
    Proxied proxied;
    proxied.reply.body = "[1]";
    const test::Believed believed(proxied.certificate);
    const auto exchange = proxied.call("https://tracker.invalid:8443/api");
    CHECK(exchange.progress == http::SendProgress::answered);
    CHECK(exchange.response.body == "[1]");
    CHECK(proxied.through.method == "POST");
    CHECK(proxied.through.target == "/api/x");
    CHECK(proxied.through.headers.at("authorization") == "Bearer secret");
    CHECK(proxied.through.body == "{}");
}

TEST_CASE("A tunnel that ends at another machine is not used", "[schema][http]") {
    Proxied proxied;
    const test::Believed believed(proxied.certificate);
    const auto exchange = proxied.call("https://elsewhere.invalid");
    CHECK(exchange.progress == http::SendProgress::not_sent);
    CHECK_THAT(exchange.message, Contains("ostname mismatch"));
    CHECK(proxied.through.method.empty());
}

TEST_CASE("https needs no proxy", "[schema][http]") {
    test::Certificate certificate("127.0.0.1");
    test::CannedServer server(
        [](const test::CannedRequest&) { return test::CannedReply{}; }, &certificate);
    const auto url = "https" + server.url().substr(4);
    CHECK(http::Client(url).try_send("GET", "/").progress == http::SendProgress::not_sent);
    const test::Believed believed(certificate);
    CHECK(http::Client(url).try_send("GET", "/").progress == http::SendProgress::answered);
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
