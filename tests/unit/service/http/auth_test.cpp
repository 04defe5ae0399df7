#include "service/http/auth.hpp"

#include <array>

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

int refused(Access access, std::optional<Scope> scope, bool secret_given, bool open_read) {
    std::optional<http::Caller> caller;
    if (scope) caller = http::Caller{TokenId{1}, "name", *scope};
    const auto refusal = check_access(access, caller, secret_given, open_read);
    return refusal ? refusal->status : 0;
}

constexpr bool open = true;
constexpr bool closed = false;

}  // namespace

TEST_CASE("Reads need a token, unless they are open", "[service][http]") {
    CHECK(refused(Access::read, std::nullopt, false, closed) == 401);
    CHECK(refused(Access::read, Scope::worker, true, closed) == 0);
    CHECK(refused(Access::read, std::nullopt, false, open) == 0);
    CHECK(refused(Access::everyone, std::nullopt, false, closed) == 0);
}

TEST_CASE("Reads are open to callers of this machine, or of a proxy, by name", "[service][http]") {
    constexpr Trust at_home{true, true, false};
    constexpr Trust lured{true, false, false};
    constexpr Trust abroad{false, true, false};
    constexpr Trust by_proxy{true, true, true};
    constexpr Trust by_proxy_named{true, false, true};
    for (const auto trust : {at_home, lured, abroad, by_proxy, by_proxy_named}) {
        CHECK_FALSE(may_read_openly(OpenReads::never, trust));
    }
    CHECK(may_read_openly(OpenReads::local, at_home));
    for (const auto trust : {lured, abroad, by_proxy, by_proxy_named}) {
        CHECK_FALSE(may_read_openly(OpenReads::local, trust));
    }
    for (const auto trust : {at_home, by_proxy, by_proxy_named}) {
        CHECK(may_read_openly(OpenReads::proxied, trust));
    }
    CHECK_FALSE(may_read_openly(OpenReads::proxied, lured));
    CHECK_FALSE(may_read_openly(OpenReads::proxied, Trust{false, true, true}));
}

TEST_CASE("A proxy shows by the fields that it adds", "[service][http]") {
    for (const auto* name :
         {"forwarded",
          "via",
          "x-forwarded-for",
          "x-forwarded-proto",
          "x-forwarded-host",
          "x-forwarded-anything",
          "x-real-ip"}) {
        CAPTURE(name);
        CHECK(is_forwarded({{"host", "localhost"}, {name, ""}}));
    }
    CHECK_FALSE(is_forwarded({{"host", "localhost"}, {"accept", "*/*"}, {"viable", "x"}}));
}

TEST_CASE("An unknown token is refused even where none is needed", "[service][http]") {
    CHECK(refused(Access::read, std::nullopt, true, closed) == 401);
    CHECK(refused(Access::everyone, std::nullopt, true, closed) == 0);
}

TEST_CASE("Writes, worker calls and administration need the right scope", "[service][http]") {
    struct Case {
        Access access;
        std::array<int, 4> expected;  // read, write, worker, admin
    };
    const Case cases[] = {
        {Access::write, {403, 0, 403, 0}},
        {Access::worker, {403, 403, 0, 403}},
        {Access::transfer, {403, 403, 0, 0}},
        {Access::administrate, {403, 403, 403, 0}}};
    constexpr std::array scopes{Scope::read, Scope::write, Scope::worker, Scope::admin};
    for (const auto& one : cases) {
        CHECK(refused(one.access, std::nullopt, false, open) == 401);
        for (std::size_t i = 0; i < scopes.size(); ++i) {
            CAPTURE(static_cast<int>(one.access), to_string(scopes[i]));
            CHECK(refused(one.access, scopes[i], true, closed) == one.expected[i]);
        }
    }
}

TEST_CASE("A bearer secret is taken from its header only", "[service][http]") {
    CHECK(bearer_secret({{"authorization", "Bearer abc"}}) == "abc");
    CHECK(bearer_secret({{"authorization", "bearer abc"}}) == "abc");
    CHECK(bearer_secret({{"authorization", "Basic abc"}}) == "");
    CHECK(bearer_secret({{"authorization", "Bearer"}}) == "");
    CHECK(bearer_secret({{"authorization", "Bearer " + std::string(1000, 'a')}}) == "");
    CHECK_FALSE(bearer_secret({{"x-authorization", "Bearer abc"}}).has_value());
}

TEST_CASE("Only names of this machine count as loopback", "[service][http]") {
    for (const auto* host : {"localhost", "127.0.0.1", "127.1.2.3", "::1"}) {
        CAPTURE(host);
        CHECK(names_loopback(host));
    }
    for (const auto* host :
         {"", "127.0.0.1.example.org", "example.org", "10.0.0.1", "localhost."}) {
        CAPTURE(host);
        CHECK_FALSE(names_loopback(host));
    }
}
