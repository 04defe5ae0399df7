#include "schema/wire/traceparent.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::wire;

namespace {
const std::string good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
}

TEST_CASE("A traceparent has the form of its standard", "[schema][wire]") {
    CHECK(is_traceparent(good));
    const std::string bad[] = {
        "",
        "ff" + good.substr(2),
        good.substr(1),
        good + "0",
        good + ", " + good,
        "00-" + std::string(32, '0') + good.substr(35),
        good.substr(0, 36) + std::string(16, '0') + "-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0\n",
        "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
        std::string(55, '\0')};
    for (const auto& value : bad) CHECK_FALSE(is_traceparent(value));
}

TEST_CASE("What is no traceparent is replaced by that of a new trace", "[schema][wire]") {
    CHECK(traceparent_or_new(good) == good);
    CHECK(traceparent_or_new("cc" + good.substr(2)) == good);  // a version of later
    for (const auto& sent : {std::optional<std::string>(), {"$(reboot)"}, {good + "0"}}) {
        const auto fresh = traceparent_or_new(sent);
        CHECK(is_traceparent(fresh));
        CHECK(fresh.ends_with("-00"));
        CHECK(fresh != traceparent_or_new(sent));
    }
}
