#pragma once

#include <string>

#include <catch2/catch.hpp>

#include "service/pages/common/cookie.hpp"
#include "tests/integration/service/http/fixture.hpp"

// A browser as far as pages meet one.

namespace vigil::service::testing {

/// A browser with a cookie, where somebody signed in.
struct Browser {
    explicit Browser(const Service& service) : client(service.client()) {}

    http::Response get(const std::string& path, http::Headers headers = {}) const {
        headers.emplace("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
        if (!cookie.empty()) headers.emplace("cookie", cookie);
        return client.send("GET", path, "", headers);
    }
    http::Response post(
        const std::string& path, const std::string& body, http::Headers headers = {}) const {
        headers.emplace("accept", "text/html");
        headers.emplace("content-type", "application/x-www-form-urlencoded");
        if (!cookie.empty()) headers.emplace("cookie", cookie);
        return client.send("POST", path, body, headers);
    }
    void sign_in(const std::string& secret) {
        const auto reply = post("/login", "next=%2Fmachines&token=" + secret);
        CAPTURE(reply.body);
        REQUIRE(reply.status == 303);
        CHECK(reply.headers.at("location") == "/machines");
        const auto& set = reply.headers.at("set-cookie");
        cookie = set.substr(0, set.find(';'));
    }
    std::string key() const { return "key=" + form_key({{"cookie", cookie}}); }

    http::Client client;
    std::string cookie;
};

inline void pages_closed(Config& config) {
    config.http.open_reads = OpenReads::never;
}

inline void pages_open(Config& config) {
    config.http.open_reads = OpenReads::never;
    config.http.open_pages = OpenReads::local;
}

}  // namespace vigil::service::testing
