#include "service/http/body_memory.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;

/// How much bodies of one MiB, each of another owner, may take of a share.
std::int64_t fill(BodyMemory& memory, BodyShare share) {
    int count = 0;
    while (count < 1000 && memory.take(share, std::to_string(count), 0, mib)) ++count;
    return count * mib;
}

}  // namespace

TEST_CASE("No share of the memory of bodies takes from another", "[service][http]") {
    const std::array all{BodyShare::workers, BodyShare::callers, BodyShare::guests};
    for (const auto greedy : all) {
        BodyMemory memory;
        CHECK(fill(memory, greedy) >= 16 * mib);
        CHECK_FALSE(memory.take(greedy, "one more", 0, 1));
        std::int64_t together = 0;
        for (const auto other : all) {
            if (other != greedy) CHECK(fill(memory, other) >= 16 * mib);
            together += memory.taken(other);
        }
        CHECK(together == 64 * mib);
    }
}

TEST_CASE("One owner has half of a share, and all of it when alone", "[service][http]") {
    BodyMemory memory;
    BodyHolding alone(memory, BodyShare::guests, "one");
    CHECK(alone.grow_to(32 * mib));  // the config may allow so long a body
    {
        BodyHolding other(memory, BodyShare::guests, "two");
        CHECK_FALSE(other.grow_to(1));
    }
    alone.shrink_to(1 * mib);
    CHECK(memory.taken(BodyShare::guests) == 1 * mib);
    BodyHolding more(memory, BodyShare::guests, "one");
    CHECK(more.grow_to(7 * mib));
    CHECK_FALSE(more.grow_to(8 * mib));
    BodyHolding other(memory, BodyShare::guests, "two");
    CHECK(other.grow_to(8 * mib));
    CHECK_FALSE(other.grow_to(9 * mib));
    CHECK(memory.taken(BodyShare::guests) == 16 * mib);
}

TEST_CASE("Workers' bodies are those of workers' routes", "[service][http]") {
    Route route;
    route.access = Access::worker;
    const http::Caller caller{TokenId{1}, "w", Scope::worker};
    CHECK(body_share_of(route, caller) == BodyShare::workers);
    CHECK(body_share_of(route, std::nullopt) == BodyShare::guests);
    route.access = Access::ingest;
    CHECK(body_share_of(route, caller) == BodyShare::callers);
}
