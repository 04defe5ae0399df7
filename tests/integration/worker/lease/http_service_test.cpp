// What the worker makes of the daemon's answers, over a socket.

#include "worker/lease/http_service.hpp"

#include <atomic>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "tests/support/canned_server.hpp"

using namespace vigil;
using namespace vigil::worker;

TEST_CASE("A heartbeat's reply says whether the job goes on, and how long", "[worker][lease]") {
    std::string body;
    const test::CannedServer daemon([&](const test::CannedRequest&) {
        return test::CannedReply{200, body, {}, test::Fault::none, 0};
    });
    const std::atomic<bool> draining = false;
    HttpService service(daemon.url(), "secret-of-w1", draining);
    const auto beat = [&](const char* answer) {
        body = answer;
        return service.heartbeat(JobId{7}, 1, "");
    };
    const auto renewed = beat(R"({"cancel": false, "ttl_s": 60})");
    CHECK_FALSE(renewed.cancel);
    CHECK(renewed.ttl_s == 60);
    CHECK(beat(R"({"cancel": true, "ttl_s": 0})").cancel);  // what is cancelled has no lease
    CHECK_THROWS_AS(beat(R"({"cancel": false, "ttl_s": -1})"), Error);
}
