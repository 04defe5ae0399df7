#include "service/http/rates.hpp"

#include <catch2/catch.hpp>

using namespace vigil::service;
using namespace std::chrono_literals;

TEST_CASE(
    "A caller may ask for a minute's worth at once, and then as time goes", "[service][http]") {
    RequestRates rates;
    const auto begin = RequestRates::Time{} + 1h;
    for (int left = 59; left >= 0; --left) {
        const auto allowance = rates.take("a", 60, begin);
        CHECK(allowance.wait == 0s);
        CHECK(allowance.remaining == left);
    }
    const auto refused = rates.take("a", 60, begin);
    CHECK(refused.wait == 1s);
    CHECK(refused.remaining == 0);
    CHECK(refused.reset == 60s);
    CHECK(rates.take("b", 60, begin).wait == 0s);
    CHECK(rates.take("a", 60, begin + 1s).wait == 0s);
    CHECK(rates.take("a", 60, begin + 1s).wait == 1s);
    CHECK(rates.take("a", 60, begin + 2min).remaining == 59);
}
