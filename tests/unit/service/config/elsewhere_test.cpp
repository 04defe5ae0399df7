// A project that is measured elsewhere.

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/config/config.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

Config with_far(const std::string& keys) {
    return parse_config(
        R"({"state_dir": "s", "projects": {"far": {"source": {"kind": "elsewhere"})" + keys + "}}}",
        "far.json");
}

std::string far_refusal(const std::string& keys) {
    try {
        with_far(keys);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("What is measured elsewhere needs nothing to measure it by", "[service][config]") {
    const auto config = with_far(R"(, "thresholds": {"time_ratio": 0.1})");
    const auto& far = config.projects.at("far");
    CHECK(is_measured_elsewhere(far));
    CHECK(far.judged.size() == enum_names<Metric>.size());
    CHECK(far.source.settle_s == 60);
    CHECK(far.thresholds.time_ratio == 0.1);
    const auto again = parse_config(effective_config(config), "effective.json");
    CHECK(again.projects.at("far").judged == far.judged);
}

TEST_CASE("What means nothing elsewhere is refused with the reason", "[service][config]") {
    for (const std::string key : {"recipe", "suites", "matrix", "schedule", "runs_per_night"}) {
        CAPTURE(key);
        const auto refused = far_refusal(", \"" + key + "\": {}");
        CHECK_THAT(refused, Contains("projects.far." + key + " means nothing in a project"));
    }
}
