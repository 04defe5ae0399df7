#include "service/http/connection_limits.hpp"

#include <catch2/catch.hpp>

using namespace vigil::service;

namespace {

/// Connections are told apart by their addresses only.
HttpSession* session(std::uintptr_t number) {
    return reinterpret_cast<HttpSession*>(number * 16);
}

}  // namespace

TEST_CASE("Guests come in while there is room", "[service][http]") {
    CHECK(admission_of(100, 0, 0, 0) == Admission::admit);
    CHECK(admission_of(100, 0, 74, 10) == Admission::admit);
    CHECK(admission_of(100, 60, 39, 10) == Admission::admit);
}

TEST_CASE("A quarter of the places is for those who have shown a token", "[service][http]") {
    CHECK(admission_of(100, 0, 75, 10) == Admission::replace);
    CHECK(admission_of(100, 25, 75, 10) == Admission::replace);
    CHECK(admission_of(100, 60, 40, 10) == Admission::replace);
    CHECK(admission_of(100, 99, 1, 1) == Admission::replace);
}

TEST_CASE("No peer has more than half of the guests' places", "[service][http]") {
    CHECK(admission_of(100, 0, 37, 37) == Admission::replace_own);
    CHECK(admission_of(100, 0, 36, 36) == Admission::admit);
    CHECK(admission_of(4, 0, 1, 1) == Admission::replace_own);
}

TEST_CASE("Only where everybody has shown a token, one is turned away", "[service][http]") {
    CHECK(admission_of(100, 100, 0, 0) == Admission::turn_away);
    CHECK(admission_of(100, 120, 0, 0) == Admission::turn_away);
    CHECK(admission_of(100, 99, 0, 0) == Admission::admit);
}

TEST_CASE("A newcomer always gets in where there are guests", "[service][http]") {
    for (std::size_t known = 0; known <= 12; ++known) {
        for (std::size_t guests = 1; guests <= 12; ++guests) {
            for (std::size_t mine = 0; mine <= guests; ++mine) {
                CAPTURE(known, guests, mine);
                CHECK(admission_of(12, known, guests, mine) != Admission::turn_away);
            }
        }
    }
}

TEST_CASE("The oldest connection and the largest owner are found", "[service][http]") {
    ConnectionsByOwner connections;
    CHECK(connections.oldest_of_largest() == nullptr);
    CHECK(connections.oldest_of("a") == nullptr);
    connections.add("a", session(1));
    connections.add("b", session(2));
    connections.add("b", session(3));
    CHECK(connections.size() == 3);
    CHECK(connections.size_of("b") == 2);
    CHECK(connections.oldest_of("a") == session(1));
    CHECK(connections.oldest_of_largest() == session(2));
    connections.remove("b", session(2));
    connections.remove("b", session(2));  // twice is once
    connections.remove("nobody", session(2));
    CHECK(connections.size() == 2);
    CHECK(connections.oldest_of("b") == session(3));
    connections.remove("b", session(3));
    CHECK(connections.size_of("b") == 0);
    CHECK(connections.oldest_of_largest() == session(1));
}
