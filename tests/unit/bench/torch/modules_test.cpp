#include "worker/bench/operators/modules.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "worker/bench/operators/profile.hpp"

using namespace vigil_bench;
using Catch::Contains;

namespace {

constexpr std::size_t none = SIZE_MAX;

/// A call of 10 ns behind the last one.
void call(OperatorTrace& trace, std::size_t owner, std::size_t forward = none) {
    OperatorEvent event;
    event.start_ns = 10 * static_cast<double>(trace.events.size());
    event.end_ns = event.start_ns + 10;
    event.self_ns = 10;
    event.flops = 100;
    event.bytes = 8;
    if (owner != none) event.owner = owner;
    event.is_backward = forward != none;
    if (forward != none) event.forward = forward;
    trace.events.push_back(event);
}

/// Two blocks of two layers, and a head.
OperatorTrace traced() {
    OperatorTrace trace;
    trace.uses.emplace_back();
    trace.uses[0].name = "aten::f";
    trace.owners = {
        "block.0.a.weight", "block.0.b.weight", "block.1.a.weight", "block.1.b.bias", "head"};
    trace.iterations = {0};
    return trace;
}

const ModuleUse& module(const ModuleProfile& profile, const std::string& name) {
    for (const auto& one : profile.modules) {
        if (one.name == name) return one;
    }
    FAIL("there is no " << name);
    return profile.modules.front();
}

}  // namespace

TEST_CASE("A call belongs to the module whose value it reads", "[bench]") {
    auto trace = traced();
    call(trace, none);  // before all: the model's own
    call(trace, 0);
    call(trace, none);  // between two layers of a block: the block's
    call(trace, 1);
    call(trace, none);  // between two blocks: what holds both
    call(trace, 2);
    call(trace, 3);
    call(trace, 4);     // a value of the model itself
    call(trace, none);  // behind all
    const auto profile = profile_modules(trace);
    CHECK(module(profile, "").calls == 9);
    CHECK(module(profile, "").total_ns == 90);
    CHECK(module(profile, "").self_ns == 30);
    CHECK(module(profile, "").flops == 900);
    CHECK(module(profile, "block").self_ns == 10);
    CHECK(module(profile, "block.0").self_ns == 10);
    CHECK(module(profile, "block.0").total_ns == 30);
    CHECK(module(profile, "block.0.a").calls == 1);
    CHECK(module(profile, "block.1").total_ns == 20);
    CHECK(module(profile, "block.1").bytes == 16);
    std::vector<std::string> names;
    for (const auto& one : profile.modules) names.push_back(one.name);
    CHECK(
        names ==
        std::vector<std::string>{
            "", "block", "block.0", "block.0.a", "block.0.b", "block.1", "block.1.a", "block.1.b"});
}

TEST_CASE("A call of the backward pass belongs to the module of its forward call", "[bench]") {
    auto trace = traced();
    call(trace, 0);
    call(trace, 1);
    call(trace, none);
    call(trace, none, 1);
    call(trace, none, 0);
    call(trace, 0);  // the step, which reads a weight too, is of no module
    const auto profile = profile_modules(trace);
    CHECK(module(profile, "block.0.a").calls == 2);
    CHECK(module(profile, "block.0.b").calls == 2);
    CHECK(module(profile, "").calls == 5);
    CHECK_FALSE(profile.of_event.back());
}

TEST_CASE("Each iteration has a forward pass of its own", "[bench]") {
    auto trace = traced();
    call(trace, 1);
    trace.iterations.push_back(1);
    call(trace, none);  // not between the block's layers: they are of two iterations
    call(trace, 0);
    const auto profile = profile_modules(trace);
    CHECK(module(profile, "").self_ns == 10);
    const auto rows = modules_json(profile, 2);
    CHECK(rows.at(0).at("total_ns") == 15);
    CHECK(rows.at(0).at("share") == 1);
}

TEST_CASE("A call within another is where that one is, and its operations count once", "[bench]") {
    auto trace = traced();
    call(trace, 0);
    call(trace, none);
    trace.events[1].caller = 0;
    const auto profile = profile_modules(trace);
    CHECK(module(profile, "block.0.a").calls == 2);
    CHECK(module(profile, "block.0.a").flops == 100);
}

TEST_CASE("Without values, or with calls that are lost, there are no modules", "[bench]") {
    auto trace = traced();
    call(trace, 0);
    trace.dropped = 1;
    CHECK(profile_modules(trace).modules.empty());
    trace.dropped = 0;
    trace.owners.clear();
    CHECK(profile_modules(trace).modules.empty());
    CHECK(modules_table({}, 1).empty());
}

TEST_CASE("A trace shows the stay in each module", "[bench]") {
    auto trace = traced();
    call(trace, 0);
    call(trace, 1);
    call(trace, 2);
    const auto profile = profile_modules(trace);
    const auto events = chrome_trace(trace, profile).at("traceEvents");
    const auto stay = [&](const std::string& name) {
        for (const auto& one : events) {
            if (one.at("name") == name) return std::pair(one.at("ts"), one.at("dur"));
        }
        return std::pair<nlohmann::json, nlohmann::json>();
    };
    CHECK(stay("block.0") == std::pair<nlohmann::json, nlohmann::json>(0.0, 0.02));
    CHECK(stay("block.1.a") == std::pair<nlohmann::json, nlohmann::json>(0.02, 0.01));
    CHECK(stay("(model)") == std::pair<nlohmann::json, nlohmann::json>(0.0, 0.03));
    CHECK_THAT(modules_table(profile, 1), Contains("  block.0") && Contains("66.7 %"));
}
