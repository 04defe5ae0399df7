#include "service/http/router.hpp"

#include <array>

#include <catch2/catch.hpp>

using namespace vigil::service;

namespace {

constexpr std::array routes{
    Route{"GET", "/api/jobs"},
    Route{"GET", "/api/jobs/{id}"},
    Route{"POST", "/api/jobs/{id}/cancel"},
    Route{"GET", "/api/jobs/newest"},
    Route{"PUT", "/api/content/{digest}"},
    Route{"GET", "/api/content/{digest}"}};

std::string pattern_of(const Match& match) {
    return match.route == nullptr ? "" : std::string(match.route->pattern);
}

}  // namespace

TEST_CASE("A path leads to its route with its parameters", "[service][http]") {
    const auto match = match_route(routes, "POST", "/api/jobs/12/cancel");
    CHECK(pattern_of(match) == "/api/jobs/{id}/cancel");
    CHECK(match.parameters.at("id") == "12");
    CHECK(pattern_of(match_route(routes, "GET", "/api/jobs")) == "/api/jobs");
}

TEST_CASE("A plain segment wins over a parameter", "[service][http]") {
    CHECK(pattern_of(match_route(routes, "GET", "/api/jobs/newest")) == "/api/jobs/newest");
    CHECK(pattern_of(match_route(routes, "GET", "/api/jobs/7")) == "/api/jobs/{id}");
}

TEST_CASE("HEAD is answered where GET is", "[service][http]") {
    CHECK(pattern_of(match_route(routes, "HEAD", "/api/jobs/7")) == "/api/jobs/{id}");
    CHECK(pattern_of(match_route(routes, "HEAD", "/api/jobs/7/cancel")).empty());
}

TEST_CASE("A wrong method learns the right ones, a wrong path nothing", "[service][http]") {
    CHECK(match_route(routes, "DELETE", "/api/content/ab").allow == "GET, HEAD, PUT");
    CHECK(match_route(routes, "GET", "/api/jobs/7/cancel").allow == "POST");
    for (const auto* path : {"/", "/api", "/api/jobs/", "/api/jobs/7/", "/api/jobs/7/cancel/x"}) {
        CAPTURE(path);
        const auto match = match_route(routes, "GET", path);
        CHECK(match.route == nullptr);
        CHECK(match.allow.empty());
    }
}
