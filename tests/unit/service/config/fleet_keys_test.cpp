#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/config/config.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

Config parse(const std::string& fleet) {
    return parse_config(
        R"({"state_dir": "state", "machine_classes": {"a100": {}, "cpu": {}},
"workers": {"w1": {"machine_class": "cpu"}}, "fleet": )" +
            fleet + "}",
        "/etc/vigil/vigild.json");
}

std::string refusal(const std::string& fleet) {
    try {
        parse(fleet);
    } catch (const Error& error) {
        return error.what();
    }
    FAIL("accepted: " << fleet);
    return "";
}

}  // namespace

TEST_CASE("A fleet's worker has the class in its name", "[service][config]") {
    const auto config =
        parse(R"({"folder": "shared", "machine_classes": {"a100": {"worker_file": "w.json"}}})");
    CHECK(config.fleet->folder == "/etc/vigil/shared");
    CHECK(config.fleet->worker == "vigil-worker");
    CHECK(config.fleet->machine_classes.at("a100").worker_file == "/etc/vigil/w.json");
    REQUIRE(find_worker_class(config, "w1") != nullptr);
    CHECK(*find_worker_class(config, "w1") == "cpu");
    REQUIRE(find_worker_class(config, "a100@node1") != nullptr);
    CHECK(*find_worker_class(config, "a100@node1") == "a100");
    for (const auto* stranger : {"w2", "a100", "cpu@node1", "@node1", ""}) {
        CAPTURE(stranger);
        CHECK(find_worker_class(config, stranger) == nullptr);
    }
    Config without = config;
    without.fleet.reset();
    CHECK(find_worker_class(without, "a100@node1") == nullptr);
}

TEST_CASE("What a fleet cannot mean is refused", "[service][config]") {
    CHECK_THAT(refusal("{}"), Contains("folder"));
    CHECK_THAT(
        refusal(R"({"folder": "x", "machine_classes": {"a100": {}}})"), Contains("worker_file"));
    CHECK_THAT(
        refusal(R"({"folder": "x", "machine_classes": {"h100": {"worker_file": "w"}}})"),
        Contains("names the machine class \"h100\""));
    CHECK_THAT(refusal(R"({"folder": "x", "name": "my-vigil"})"), Contains("letters and digits"));
    for (const auto* value : {"a b", "a;b", "$(x)", "a\\nb", "a`b"}) {
        CAPTURE(value);
        const auto text = R"({"folder": "x", "machine_classes": {"a100": {"worker_file": "w",
"constraint": ")" + std::string(value) +
                          "\"}}}";
        CHECK_THAT(refusal(text), Contains("constraint"));
    }
    CHECK_NOTHROW(parse(
        R"({"folder": "x", "machine_classes": {"a100": {"worker_file": "w",
"constraint": "[rack1|rack2]&intel", "gres": "gpu:a100:2"}}})"));
}
