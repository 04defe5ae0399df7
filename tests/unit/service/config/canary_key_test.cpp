#include <string>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/config/config.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

std::string with_canary(const std::string& canary) {
    return R"({
  "state_dir": "state",
  "machine_classes": {"any": {"canary": )" +
           canary + R"(}},
  "workers": {"w1": {"machine_class": "any"}},
  "projects": {"toy": {
    "source": {"kind": "git", "repository": "/srv/toy.git"},
    "recipe": {"outputs": ["out"]},
    "suites": {"core": {"start": {"command": ["out/x"]}}},
    "matrix": [{"suite": "core", "machine_classes": ["any"]}]
  }}
})";
}

std::string why_refused(const std::string& canary) {
    try {
        parse_config(with_canary(canary), "vigild.json");
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("A canary is a build and a benchmark of a project", "[service][config]") {
    const auto config = parse_config(
        with_canary(R"({"project": "toy", "build": "v1", "benchmark": "start"})"), "vigild.json");
    const auto& canary = config.machine_classes.at("any").canary;
    REQUIRE(canary.has_value());
    CHECK(canary->variant == "default");
    CHECK(canary->runs == 3);
    const auto again = parse_config(effective_config(config), "vigild.json");
    CHECK(again.machine_classes.at("any").canary->build == "v1");
}

TEST_CASE("A canary that its project does not have is refused", "[service][config]") {
    CHECK_THAT(
        why_refused(R"({"project": "toi", "build": "v1", "benchmark": "start"})"),
        Contains("canary.project names the project \"toi\"") && Contains("did you mean \"toy\"?"));
    CHECK_THAT(
        why_refused(R"({"project": "toy", "build": "v1", "benchmark": "absent"})"),
        Contains("canary.benchmark names absent default, which project toy does not have"));
    CHECK_THAT(why_refused(R"({"project": "toy", "benchmark": "start"})"), Contains("build"));
    CHECK_THAT(
        why_refused(R"({"project": "toy", "build": "v1", "benchmark": "start", "runs": 0})"),
        Contains("canary.runs must be an integer from 1 to 100"));
}
