#include "worker/run/profile/perf.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/integration/worker/run/run_fixture.hpp"

using namespace vigil;
using namespace vigil::worker;
using Catch::Contains;
using test::make_runner;
using test::RunPlace;
namespace fs = std::filesystem;

namespace {

bool has_perf() {
    if (why_no_perf().empty()) return true;
    WARN("not tested, " << why_no_perf());
    SUCCEED();
    return false;
}

/// Works in `much`, and a quarter of it in `little`; ends with its argument.
constexpr const char* working = R"(
#include <stdlib.h>
volatile unsigned sink;
__attribute__((noinline)) void much(void) { for (int i = 0; i < 80000000; ++i) sink += i; }
__attribute__((noinline)) void little(void) { for (int i = 0; i < 20000000; ++i) sink ^= i; }
int main(int count, char** words) {
    much();
    little();
    return count > 1 ? atoi(words[1]) : 0;
}
)";

void compile_working(const RunPlace& place, const std::string& flags) {
    test::write_file(place.product / "program.c", working);
    auto runner = make_runner(SandboxMode::off);
    auto request =
        place.shell("cc -g -O1 " + flags + " program.c -o program 2>&1 && chmod 755 program");
    request.folder_access = MountAccess::writable;
    const auto report = runner.run(request);
    CAPTURE(report.output);
    REQUIRE(report.exit_code == 0);
}

profile::Profile sample_in(const RunPlace& place, ProcessRunner& runner) {
    const auto run = run_for_profile(runner, place.request({"./program"}), Profiler::perf);
    CAPTURE(run.report.message, run.report.errors, run.why_none);
    REQUIRE(run.report.end == RunEnd::exited);
    REQUIRE(run.report.exit_code == 0);
    CHECK(run.iterations >= 1);
    const auto product = place.product.string();
    return read_profile(run, runner.sandboxed() ? run_path : product, product);
}

const profile::Function& sampled_function(
    const profile::Profile& profile, const std::string& name) {
    const auto found = std::ranges::find(profile.functions, name, &profile::Function::name);
    REQUIRE(found != profile.functions.end());
    return *found;
}

}  // namespace

TEST_CASE("perf samples a program's functions, in the sandbox and without", "[worker][run]") {
    if (!has_perf()) return;
    const RunPlace place;
    compile_working(place, "-O0");  // which keeps frame pointers everywhere
    for (const auto mode : {SandboxMode::automatic, SandboxMode::off}) {
        auto runner = make_runner(mode);
        const auto profile = sample_in(place, runner);
        CHECK(profile.unit == profile::CostUnit::samples);
        const auto& much = sampled_function(profile, "much");
        const auto& little = sampled_function(profile, "little");
        CHECK(much.is_own);
        CHECK(much.cost > 2 * little.cost);
        CHECK(much.cost + little.cost > profile.total / 2);
        if (fs::exists("/usr/bin/addr2line")) CHECK(much.file == "program.c");
        CHECK(much.called_by == std::vector<std::string>{"main"});
        REQUIRE_FALSE(profile.stacks.empty());
        CHECK(std::ranges::count(profile.frames, "much") == 1);
    }
}

TEST_CASE("Without frame pointers and symbols it is said", "[worker][run]") {
    if (!has_perf()) return;
    const RunPlace place;
    compile_working(place, "-fomit-frame-pointer -s");
    auto runner = make_runner();
    const auto profile = sample_in(place, runner);
    CHECK(profile.unnamed > profile.total / 2);
}

TEST_CASE("What fails under perf fails as it does without", "[worker][run]") {
    if (!has_perf()) return;
    const RunPlace place;
    compile_working(place, "");
    auto runner = make_runner();
    const auto failed = run_for_profile(runner, place.request({"./program", "7"}), Profiler::perf);
    CHECK(failed.report.exit_code == 7);
    CHECK(read_profile(failed, run_path).total > 0);  // whether that counts is the plan's matter
    const auto missing = run_for_profile(runner, place.request({"./nothing"}), Profiler::perf);
    CHECK(missing.report.exit_code != 0);
    CHECK_THROWS_AS(read_profile(missing, run_path), Error);
    const auto removed = run_for_profile(
        runner,
        place.request({"/bin/sh", "-c", "rm -rf /tmp/.vigil-samples ../scratch/.vigil-samples"}),
        Profiler::perf);
    CHECK_THROWS_AS(read_profile(removed, run_path), Error);
    auto short_of_time = place.request({"sleep", "600"});
    short_of_time.limits.wall_time_s = 1;
    CHECK(run_for_profile(runner, short_of_time, Profiler::perf).report.end == RunEnd::timed_out);
}

TEST_CASE("What keeps perf from sampling is said with what helps", "[worker][run]") {
    CHECK(why_no_perf(true, "2").empty());
    CHECK(why_no_perf(true, "-1").empty());
    CHECK(why_no_perf(true, "").empty());
    CHECK_THAT(why_no_perf(false, "2"), Contains("apt-get install linux-perf"));
    CHECK_THAT(
        why_no_perf(true, "3"),
        Contains("perf_event_paranoid is 3") && Contains("sysctl kernel.perf_event_paranoid=2"));
}
