#include "schema/wire/job_json.hpp"

#include <functional>
#include <limits>
#include <random>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/json.hpp"

using namespace vigil;
using Catch::Contains;
using nlohmann::json;
using wire::to_json;

namespace {

const std::string hash(40, 'a');
const std::string digest(64, 'b');

JobPlan example_plan() {
    BenchmarkPlan train;
    train.benchmark = "mlp";
    train.variant = "train";
    train.kind = BenchmarkKind::torch;
    train.command = {"--model", "mlp", "--mode", "train"};
    train.environment = {{"OMP_NUM_THREADS", "1"}};
    train.samples.format = SampleFormat::vigil;
    train.interleave = 4;
    train.launch = Launch{
        .cores = "0-3,8",
        .numa_memory = 0,
        .allocator = Allocator::jemalloc,
        .openmp = {.threads = 4, .affinity = "compact,1,0", .blocktime_ms = 0}};
    BenchmarkPlan start;
    start.benchmark = "start";
    start.variant = "cold";
    start.command = {"bin/tool", "--version", "with \"quotes\" and é"};
    start.folder = "cu126";
    start.samples = {
        .format = SampleFormat::lines,
        .printed = Metric::reported_value,
        .unit = "tokens/s",
        .direction = Direction::higher_is_better,
        .select = "x"};
    start.limits = {
        .wall_time_s = 1, .memory_bytes = 2, .processes = 3, .output_bytes = 4, .disk_bytes = 5};
    start.wrong_exit_code = 4;
    start.unsupported_exit_code = 78;
    return {.benchmarks = {train, start}, .steps = {{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
}

Lease example_lease() {
    Recipe recipe;
    recipe.commands = {{"cmake", "-B", "b"}, {"/bin/sh", "-c", "make -C b"}};
    recipe.outputs = {"b/lib", "bin/x"};
    recipe.environment = {{"CXX", "g++"}};
    recipe.limits.wall_time_s = 1234;
    BuildOrder good{
        BuildId{7}, Revision(hash), InputKind::source_tree, Digest(digest), recipe, std::nullopt};
    BuildOrder bad = good;
    bad.id = BuildId{8};
    bad.input_kind = InputKind::archive;
    bad.product = Digest(std::string(64, 'c'));
    return {
        .job = JobId{12},
        .attempt = 2,
        .ttl_s = 60,
        .purpose = Purpose::confirm,
        .project = "tensorlab",
        .builds = {good, bad},
        .plan = example_plan(),
        .environment = {{"ATEN_CPU_CAPABILITY", "default"}},
        .key = "0123abcd"};
}

JobResult example_result() {
    JobResult result;
    result.builds = {
        {BuildId{7}, true, Digest(digest), Digest(digest), "", 5'000'000'000},
        {BuildId{8}, false, std::nullopt, Digest(digest), "exit code 2", 1}};
    result.runs = {
        {.step = 0,
         .outcome = Outcome::passed,
         .message = "",
         .log = Digest(digest),
         .started_at_ns = 1'700'000'000'123'456'789,
         .duration_ns = 42,
         .samples =
             {{Metric::cpu_time_ns, {1.0 / 3, 1e9, 0}}, {Metric::reported_value, {-2.5, 1e-300}}},
         .facts =
             {{.name = "leak",
               .value = 9,
               .low = -1.5,
               .high = 10,
               .unit = "bytes",
               .text = "none"},
              {.name = "instructions", .text = "no counter"}}},
        {.step = 3, .outcome = Outcome::oom, .message = "killed", .log = {}, .samples = {}}};
    result.before = {.facts = {{"kernel", "6.1"}}, .readings = {{"load", "0.5"}}};
    result.after = {.facts = {{"kernel", "6.1"}}, .readings = {{"load", "1.5"}}};
    result.key = "0123abcd";
    return result;
}

/// The refusal of a document after one change.
template <class Parse>
std::string refusal(json document, const std::string& pointer, const json& value, Parse parse) {
    const json::json_pointer place(pointer);
    if (value.is_discarded()) {
        document.at(place.parent_pointer()).erase(place.back());
    } else {
        document[place] = value;
    }
    CAPTURE(pointer, value.dump());
    try {
        parse(document);
    } catch (const Error& error) {
        CHECK(error.code() == Errc::invalid_argument);
        return error.what();
    }
    FAIL("accepted");
    return "";
}

const json removed = json(json::value_t::discarded);

}  // namespace

TEST_CASE("A lease comes back as it was sent", "[schema][wire]") {
    const auto sent = to_json(example_lease());
    const Lease got = wire::parse_lease(wire::parse_json(wire::write_json(sent), "lease"));
    CHECK(to_json(got) == sent);
    CHECK(got.plan == example_plan());
    CHECK(got.builds[0].recipe == example_lease().builds[0].recipe);
    CHECK_FALSE(got.builds[0].product.has_value());
    CHECK(got.builds[1].product == Digest(std::string(64, 'c')));
    CHECK(got.purpose == Purpose::confirm);
}

TEST_CASE("A result comes back bit by bit", "[schema][wire]") {
    const auto sent = to_json(example_result());
    const auto got = wire::parse_job_result(wire::parse_json(wire::write_json(sent), "result"));
    CHECK(to_json(got) == sent);
    CHECK(got.runs[0].samples[0].values == std::vector<double>{1.0 / 3, 1e9, 0});
    CHECK(got.runs[0].samples[1].values == std::vector<double>{-2.5, 1e-300});
    CHECK(got.runs[0].started_at_ns == 1'700'000'000'123'456'789);
    CHECK(got.runs[0].facts == example_result().runs[0].facts);
    CHECK(got.runs[1].facts.empty());
}

TEST_CASE("A fingerprint comes back as it was sent", "[schema][wire]") {
    const Fingerprint sent{
        "Xeon", 64, std::int64_t{1} << 40, {"A100, 535.1"}, {{"rack", "3"}}, digest};
    CHECK(wire::parse_fingerprint(to_json(sent)) == sent);
}

TEST_CASE("A comparison comes back, with infinite bounds too", "[schema][wire]") {
    Comparison sent{
        .before = 1,
        .after = 1.1,
        .change_ratio = 0.1,
        .low = 0.05,
        .high = 0.15,
        .above = 0.9,
        .runs_before = 6,
        .runs_after = 5,
        .finding = Finding::worse};
    CHECK(to_json(wire::parse_comparison(to_json(sent))) == to_json(sent));
    sent.low = -std::numeric_limits<double>::infinity();
    sent.high = std::numeric_limits<double>::infinity();
    const auto got =
        wire::parse_comparison(wire::parse_json(wire::write_json(to_json(sent)), "comparison"));
    CHECK(got.low == sent.low);
    CHECK(got.high == sent.high);
    CHECK(wire::parse_comparison(json::object()).finding == Finding::unknown);
    CHECK_THAT(refusal(to_json(sent), "/above", 1.5, wire::parse_comparison), Contains("0 to 1"));
}

TEST_CASE("Equal recipes have equal digests, others have others", "[schema][wire]") {
    Recipe recipe = example_lease().builds[0].recipe;
    const auto before = wire::digest_of(recipe);
    CHECK(wire::digest_of(example_lease().builds[0].recipe) == before);
    CHECK(wire::digest_of(wire::parse_recipe(to_json(recipe))) == before);
    recipe.commands[0].push_back("-G");
    CHECK(wire::digest_of(recipe) != before);
    CHECK(wire::digest_of(Recipe{}) != before);
}

TEST_CASE("The canonical form of a recipe never changes unseen", "[schema][wire]") {
    // A change of this text rebuilds every product: the digest keys them.
    Recipe recipe;
    recipe.commands = {{"make"}};
    recipe.outputs = {"out"};
    CHECK(
        wire::write_json(to_json(recipe)) ==
        R"({"commands":[["make"]],"environment":{},"limits":{"disk_bytes":8589934592,)"
        R"("memory_bytes":8589934592,"output_bytes":4194304,"processes":1024,)"
        R"("wall_time_s":3600},"outputs":["out"]})");
}

TEST_CASE("A hostile lease is refused with the path of what is wrong", "[schema][wire]") {
    const auto lease = to_json(example_lease());
    const auto check = [&](const char* pointer, const json& value, const char* path) {
        CHECK_THAT(
            refusal(lease, pointer, value, [](const json& v) { return wire::parse_lease(v); }),
            Catch::StartsWith(path));
    };
    check("/job", 0, "lease.job is 0; it must be at least 1");
    check("/job", "12", "lease.job must be an integer, not \"12\"");
    check("/job", 12.5, "lease.job must be an integer");
    check("/job", removed, "lease.job is missing");
    check("/attempt", -1, "lease.attempt is -1");
    check("/attempt", 3'000'000'000, "lease.attempt is 3000000000");
    check("/surprise", 1, "lease has the unknown key \"surprise\"");
    check("/purpose", "fun", "lease.purpose is \"fun\"; the choices are nightly");
    check("/builds/0/input", "xyz", "lease.builds[0].input must be a SHA-256");
    check("/builds/0/revision", "HEAD", "lease.builds[0].revision must be a full commit");
    check("/builds/0/recipe/commands/1", json::array(), "lease.builds[0].recipe.commands[1] is");
    check("/builds/0/recipe/environment", {{"A=B", "1"}}, "lease.builds[0].recipe.environment");
    check("/builds", json::array(), "lease.plan.steps[0].build is 0; the lease has 0");
    check("/plan/steps/1/build", -1, "lease.plan.steps[1].build is -1");
    check("/plan/steps/1/build", 2, "lease.plan.steps[1].build is 2; the lease has 2");
    check("/plan/steps/1/benchmark", 2, "lease.plan.steps[1].benchmark is 2; it must be 0 to 1");
    check("/plan/steps/1/more", 2, "lease.plan.steps[1] has the unknown key");
    check("/plan/steps", json::object(), "lease.plan.steps must be an array, not an object");
    check("/plan/benchmarks/0/limits/wall_time_s", 0, "lease.plan.benchmarks[0].limits.wall_time");
    check("/plan/benchmarks/1/command", json::array(), "lease.plan.benchmarks[1].command is empty");
    check("/plan/benchmarks/1/command", "make", "lease.plan.benchmarks[1].command must be an arr");
    check("/plan/benchmarks/1/wrong_exit_code", 256, "lease.plan.benchmarks[1].wrong_exit_code");
    check("/plan/benchmarks/1/interleave", 9, "lease.plan.benchmarks[1].interleave is 9");
}

TEST_CASE("A plan without a folder has no such key", "[schema][wire]") {
    const auto sent = to_json(example_lease());
    CHECK_FALSE(sent.at("plan").at("benchmarks").at(0).contains("folder"));
    CHECK(sent.at("plan").at("benchmarks").at(1).at("folder") == "cu126");
    for (const auto* name : {"..", "a/b", "/", ".hidden"}) {
        CHECK_THAT(
            refusal(sent, "/plan/benchmarks/1/folder", name, wire::parse_lease),
            Catch::Contains("plan.benchmarks[1].folder must be one name"));
    }
}

TEST_CASE("More steps or benchmarks than the limit are refused", "[schema][wire]") {
    auto plan = to_json(example_plan());
    const json step = plan["steps"][0];
    plan["steps"] = json::array();
    for (std::size_t i = 0; i < wire::max_steps; ++i) plan["steps"].push_back(step);
    CHECK(wire::parse_job_plan(plan).steps.size() == wire::max_steps);
    plan["steps"].push_back(step);
    CHECK_THROWS_WITH(
        wire::parse_job_plan(plan), "plan.steps has 10001 entries; at most 10000 fit");
    CHECK_THROWS_WITH(
        wire::parse_job_plan({{"benchmarks", json::array()}, {"steps", {step}}}),
        Contains("plan.steps[0].benchmark"));
}

TEST_CASE("A hostile result is refused with the path of what is wrong", "[schema][wire]") {
    const auto result = to_json(example_result());
    const auto check = [&](const char* pointer, const json& value, const char* path) {
        CHECK_THAT(
            refusal(result, pointer, value, wire::parse_job_result), Catch::StartsWith(path));
    };
    check("/builds/0/product", nullptr, "result.builds[0].product goes with built");
    check("/builds/0/built", 1, "result.builds[0].built must be true or false");
    check("/builds/1/id", 7, "result.builds[1] is a build that is there already");
    check("/runs/0/step", -1, "result.runs[0].step is -1");
    check("/runs/0/step", 10'000, "result.runs[0].step is 10000");
    check("/runs/1/step", 0, "result.runs[1] is a run of a step that has one");
    check("/runs/0/duration_ns", -5, "result.runs[0].duration_ns is -5");
    check("/runs/0/samples/0/values", json::array(), "result.runs[0].samples[0].values is empty");
    check("/runs/0/samples/0/values/1", "1", "result.runs[0].samples[0].values[1] must be a numb");
    check("/runs/0/samples/0/values/1", nullptr, "result.runs[0].samples[0].values[1] must be a");
    check("/runs/0/samples/0/metric", "reported_value", "result.runs[0].samples[1] has a metric");
    check("/runs/0/samples/1/metric", "speed", "result.runs[0].samples[1].metric is \"speed\"");
    check("/runs/0/outcome", "oom", "result.runs[0].samples must be empty");
    check("/runs/0/facts/1/name", "leak", "result.runs[0].facts[1] has a name");
    check("/runs/0/facts/0/name", "", "result.runs[0].facts[0].name is empty");
    check("/runs/0/facts/0/value", "9", "result.runs[0].facts[0].value must be a number");
    check("/runs/0/message", std::string(20'000, 'x'), "result.runs[0].message has 20000 bytes");
    check("/before", removed, "result.before is missing");
    check("/failure", 3, "result.failure must be a string");
    const double infinite = std::numeric_limits<double>::infinity();
    check("/runs/0/samples/0/values/1", infinite, "result.runs[0].samples[0].values[1] must be a");
}

TEST_CASE("More samples than the limit are refused", "[schema][wire]") {
    auto result = to_json(example_result());
    result["runs"][0]["samples"][0]["values"] = std::vector<double>(wire::max_samples, 1.0);
    CHECK_NOTHROW(wire::parse_job_result(result));
    result["runs"][0]["samples"][0]["values"].push_back(1.0);
    CHECK_THROWS_WITH(wire::parse_job_result(result), Contains("at most 100000"));
}

TEST_CASE("A result must speak of its job, and of all of it", "[schema][wire]") {
    const auto plan = example_plan();
    const std::vector<BuildId> builds{BuildId{7}, BuildId{8}};
    auto result = example_result();  // build 8 failed: steps 1 and 2 have no run
    CHECK_NOTHROW(wire::check_result(result, plan, builds));
    result.runs[1].step = 4;
    CHECK_THROWS_WITH(wire::check_result(result, plan, builds), Contains("step 4"));
    result.runs.pop_back();
    CHECK_THROWS_WITH(wire::check_result(result, plan, builds), Contains("lacks step 3"));
    result.failure = "the disk is full";
    CHECK_NOTHROW(wire::check_result(result, plan, builds));
    result.builds[0].id = BuildId{9};
    CHECK_THROWS_WITH(wire::check_result(result, plan, builds), Contains("build 9"));
}

TEST_CASE("Steps of a build that failed on another machine class are left out", "[schema][wire]") {
    const std::vector<BuildId> builds{BuildId{7}, BuildId{8}};
    auto result = example_result();
    result.builds.clear();
    CHECK_THROWS(wire::check_result(result, example_plan(), builds));
    CHECK_NOTHROW(wire::check_result(result, example_plan(), builds, std::vector{BuildId{8}}));
}

TEST_CASE("Only a build that is made elsewhere says so", "[schema][wire]") {
    auto lease = example_lease();
    CHECK_FALSE(to_json(lease)["builds"][0].contains("build_here"));  // older workers refuse it
    lease.builds[0].build_here = false;
    const auto again = wire::parse_lease(to_json(lease));
    CHECK_FALSE(again.builds[0].build_here);
    CHECK(again.builds[1].build_here);
}

TEST_CASE("A document with any one value exchanged is read or refused", "[schema][wire]") {
    // Nothing but Error may come out, whatever stands where.
    const json strange = {
        nullptr,
        true,
        0,
        -1,
        1e300,
        "",
        "x",
        json::array(),
        json::object(),
        {{"a", {1}}},
        std::numeric_limits<std::int64_t>::max()};
    const auto play = [&](const json& document, const std::function<void(const json&)>& parse) {
        int refused = 0;
        const json flat = document.flatten();
        for (const auto& [pointer, unused] : flat.items()) {
            for (const auto& value : strange) {
                json changed = document;
                changed[json::json_pointer(pointer)] = value;
                try {
                    parse(changed);
                } catch (const Error& error) {
                    ++refused;
                    REQUIRE(error.code() == Errc::invalid_argument);
                }
            }
        }
        CHECK(refused > 100);
    };
    play(to_json(example_lease()), [](const json& value) { wire::parse_lease(value); });
    play(to_json(example_result()), [](const json& value) { wire::parse_job_result(value); });
}

TEST_CASE("A plan tells what is counted only where something is", "[wire]") {
    auto lease = example_lease();
    CHECK(to_json(lease).dump().find("counts_instructions") == std::string::npos);
    CHECK(to_json(lease.plan).dump().find("counts_instructions") == std::string::npos);
    lease.plan.benchmarks.back().counts_instructions = true;
    CHECK(to_json(lease).dump().find("callgrind") == std::string::npos);
    lease.plan.benchmarks.back().callgrind = true;
    const auto read = wire::parse_lease(to_json(lease));
    CHECK_FALSE(read.plan.benchmarks.front().counts_instructions);
    CHECK(read.plan == lease.plan);
}

TEST_CASE("A plan names its profiler, as older ones did by a variable", "[wire]") {
    auto lease = example_lease();
    auto& plan = lease.plan.benchmarks.back();
    plan.profiled = true;
    CHECK(to_json(lease).dump().find("profiler") == std::string::npos);  // it is callgrind
    plan.profiler = Profiler::dhat;
    const auto written = to_json(lease.plan);
    CHECK(written.at("benchmarks").back().at("profiler") == "dhat");
    CHECK(wire::parse_job_plan(written, "plan") == lease.plan);
    auto older = written;
    older["benchmarks"].back().erase("profiler");
    older["benchmarks"].back()["environment"][profiler_variable] = "operators";
    const auto read = wire::parse_job_plan(older, "plan");
    CHECK(read.benchmarks.back().profiler == Profiler::operators);
    older["benchmarks"].back()["environment"][profiler_variable] = "something";
    CHECK(wire::parse_job_plan(older, "plan").benchmarks.back().profiler == Profiler::callgrind);
    older["benchmarks"].back()["profiler"] = "something";
    CHECK_THROWS_AS(wire::parse_job_plan(older, "plan"), Error);
}
