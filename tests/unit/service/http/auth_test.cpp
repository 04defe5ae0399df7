#include "service/http/auth.hpp"

#include <array>

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

int refused(Access access, std::optional<Scopes> scopes, bool secret_given, bool open_read) {
    std::optional<http::Caller> caller;
    if (scopes) caller = http::Caller{TokenId{1}, "name", *scopes};
    const auto refusal = check_access(access, caller, secret_given, open_read, 1000);
    return refusal ? refusal->status : 0;
}

constexpr bool open = true;
constexpr bool closed = false;

}  // namespace

TEST_CASE("Reads need a token, unless they are open", "[service][http]") {
    CHECK(refused(Access::read, std::nullopt, false, closed) == 401);
    CHECK(refused(Access::read, Scope::read, true, closed) == 0);
    CHECK(refused(Access::read, Scope::worker, true, closed) == 403);
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

TEST_CASE("Each route asks for its scope, and admin may do all but work", "[service][http]") {
    struct Case {
        Access access;
        std::array<int, 6> expected;  // read, ingest, trigger, worker, triage, admin
    };
    const Case cases[] = {
        {Access::read, {0, 403, 403, 403, 403, 0}},
        {Access::ingest, {403, 0, 403, 403, 403, 0}},
        {Access::trigger, {403, 403, 0, 403, 403, 0}},
        {Access::triage, {403, 403, 403, 403, 0, 0}},
        {Access::worker, {403, 403, 403, 0, 403, 403}},
        {Access::transfer, {403, 403, 403, 0, 403, 0}},
        {Access::administrate, {403, 403, 403, 403, 403, 0}}};
    for (const auto& one : cases) {
        const bool is_read = one.access == Access::read;
        CHECK(refused(one.access, std::nullopt, false, open) == (is_read ? 0 : 401));
        for (std::size_t i = 0; i < enum_names<Scope>.size(); ++i) {
            const auto& [scope, name] = enum_names<Scope>[i];
            CAPTURE(static_cast<int>(one.access), name);
            CHECK(refused(one.access, scope, true, closed) == one.expected[i]);
        }
    }
    CHECK(refused(Access::trigger, Scopes{Scope::read, Scope::trigger}, true, closed) == 0);
}

TEST_CASE("A refusal says which scope is missing, and which token has ended", "[service][http]") {
    const http::Caller reader{TokenId{1}, "ada", {Scope::triage, Scope::read}, 1000};
    CHECK(
        check_access(Access::trigger, reader, true, false, 999)->why ==
        "the token ada has scope read,triage; this asks for scope trigger");
    CHECK_FALSE(check_access(Access::triage, reader, true, false, 999));
    const auto late = check_access(Access::triage, reader, true, false, 1000);
    REQUIRE(late);
    CHECK(late->status == 401);
    CHECK(late->why == "the token ada has expired; ask for a new one");
}
