#include "worker/run/callgrind.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "tests/integration/worker/run/run_fixture.hpp"
#include "worker/run/profile/profiled_run.hpp"

using namespace vigil;
using namespace vigil::worker;
using Catch::Contains;
using test::make_runner;
using test::RunPlace;
namespace fs = std::filesystem;

namespace {

bool has_valgrind() {
    if (why_no_callgrind().empty()) return true;
    WARN("not tested, " << why_no_callgrind());
    SUCCEED();
    return false;
}

/// A program that works in `start`, then in `step`, which it marks where MARKED is defined. After
/// `seconds` of its first argument it stops going on.
constexpr const char* marking = R"(
#include <stdlib.h>
#include <time.h>
#ifdef BY_LINES
#include <stdio.h>
#include <unistd.h>
static int lines;
static void say(const char* line) {
    const char* path = getenv("VIGIL_PROFILE_FIFO");
    FILE* fifo = path ? fopen(path, "w") : 0;
    if (!fifo) return;
    fputs(line, fifo);
    fclose(fifo);
    ++lines;
    char followed[4096];
    snprintf(followed, sizeof followed, "%s.followed", path);
    for (int done = 0; done < lines; usleep(10000)) {
        FILE* file = fopen(followed, "r");
        if (file && fscanf(file, "%d", &done) != 1) done = 0;
        if (file) fclose(file);
    }
}
#define CALLGRIND_START_INSTRUMENTATION say("start\n")
#define CALLGRIND_STOP_INSTRUMENTATION say("stop\n")
#elif defined(MARKED)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#endif
__attribute__((noinline)) int start(int x) {
    for (int i = 0; i < 300000; ++i) x = x * 31 + i;
    return x;
}
__attribute__((noinline)) int step(int x) {
    for (int i = 0; i < 1000; ++i) x = (x ^ i) * 7;
    return x;
}
int main(int count, char** words) {
    int x = start(count);
    const time_t end = count > 1 ? time(0) + atoi(words[1]) : 0;
    CALLGRIND_START_INSTRUMENTATION;
    do {
        for (int i = 0; i < 100; ++i) x = step(x);
    } while (time(0) < end);
    CALLGRIND_STOP_INSTRUMENTATION;
    x = start(x);
    return x == 42;
}
)";

/// @return  whether it could be compiled
bool compile(const RunPlace& place, const std::string& flags) {
    test::write_file(place.product / "program.c", marking);
    auto runner = make_runner(SandboxMode::off);
    auto request =
        place.shell("cc -g -O1 " + flags + " program.c -o program 2>&1 && chmod 755 program");
    request.folder_access = MountAccess::writable;
    const auto report = runner.run(request);
    CAPTURE(report.output);
    if (report.exit_code == 0) return true;
    WARN("not tested, without valgrind's headers: " << report.output);
    return false;
}

profile::Profile profile_in(
    const RunPlace& place, const Command& command, std::int64_t seconds = 600) {
    auto runner = make_runner();
    auto request = place.request(command);
    request.limits.wall_time_s = seconds;
    const auto run = run_for_profile(runner, request);
    CAPTURE(run.report.message, run.report.errors, run.why_none);
    REQUIRE(run.report.end == RunEnd::exited);
    REQUIRE(run.report.exit_code == 0);
    return read_profile(run, runner.sandboxed() ? run_path : place.product.string());
}

std::int64_t cost_of(const profile::Profile& profile, const std::string& name) {
    for (const auto& one : profile.functions) {
        if (one.name == name) return one.cost;
    }
    return 0;
}

RunReport run_in(const RunPlace& place, ProcessRunner& runner, const RunRequest& request) {
    fs::remove_all(place.scratch);
    fs::create_directories(place.scratch);
    return run_by_callgrind(runner, request);
}

std::int64_t count_of(const RunReport& report) {
    CAPTURE(report.message, report.errors);
    REQUIRE(report.end == RunEnd::exited);
    REQUIRE(report.exit_code == 0);
    REQUIRE(report.counted);
    return *report.counted;
}

std::string why_none(const RunReport& report) {
    CHECK_FALSE(report.counted);
    for (const auto& fact : report.facts) {
        if (fact.name == "instructions_not_counted") return fact.text;
    }
    return "";
}

constexpr const char* busy = "i=0; while [ $i -lt 1000 ]; do i=$((i + 1)); done";

}  // namespace

TEST_CASE("Callgrind counts a program and all that it starts", "[worker][run]") {
    if (!has_valgrind()) return;
    const RunPlace place;
    for (const auto mode : {SandboxMode::automatic, SandboxMode::off}) {
        auto runner = make_runner(mode);
        const auto run = [&](const std::string& script) {
            return count_of(run_in(place, runner, place.shell(script)));
        };
        const auto little = run("exit 0");
        CHECK(little > 50'000);
        const auto once = run(busy);
        CHECK(once > little + 100'000);
        CHECK(run(std::string("/bin/sh -c '") + busy + "'; exit 0") > once + little / 2);
        auto request = place.shell("cat data; echo trouble >&2");
        const auto report = run_in(place, runner, request);
        CHECK(report.output == "of the product\n");
        CHECK(report.errors == "trouble\n");  // valgrind says nothing there
    }
}

TEST_CASE("How a program ends is told under callgrind too", "[worker][run]") {
    if (!has_valgrind()) return;
    const RunPlace place;
    auto runner = make_runner();
    CHECK(run_in(place, runner, place.shell("exit 5")).exit_code == 5);
    const auto crashed = run_in(place, runner, place.shell("kill -SEGV $$"));
    CHECK(crashed.end == RunEnd::signalled);
    CHECK(crashed.signal == 11);
    CHECK_THAT(crashed.errors, Contains("SIGSEGV"));
    const auto missing = run_in(place, runner, place.request({"./no-such-program"}));
    CHECK(missing.exit_code == 127);
    CHECK_THAT(missing.errors, Contains("No such file"));
}

TEST_CASE("A project's own files change nothing of how valgrind counts", "[worker][run]") {
    if (!has_valgrind()) return;
    const RunPlace place;
    auto runner = make_runner();
    const auto before = count_of(run_in(place, runner, place.shell("exit 0")));
    test::write_file(place.product / ".valgrindrc", "--tool=none\n");
    auto request = place.shell("exit 0");
    CHECK(count_of(run_in(place, runner, request)) == Approx(double(before)).epsilon(0.01));
    request.environment["VALGRIND_OPTS"] = "--tool=none";
    CHECK(count_of(run_in(place, runner, request)) == Approx(double(before)).epsilon(0.01));
}

TEST_CASE("What a program puts among callgrind's files is read as a stranger's", "[worker][run]") {
    if (!has_valgrind()) return;
    const RunPlace place;
    auto runner = make_runner();
    const auto why = [&](const std::string& script) {
        return why_none(
            run_in(place, runner, place.shell("cd $TMPDIR/.vigil-callgrind; " + script)));
    };
    const std::string one_of_two = "callgrind gave no count for 1 of ";
    CHECK_THAT(why("ln -s /etc/passwd x"), Contains(one_of_two));
    CHECK_THAT(why("mkfifo x"), Contains(one_of_two));
    CHECK_THAT(why("mkdir x"), Contains(one_of_two));
    CHECK_THAT(why("truncate -s 4G x"), Contains(one_of_two));
    CHECK_THAT(why("echo '==1== Collected : 1 2' >x"), Contains(one_of_two));
    CHECK_THAT(why("echo '==1== Collected : -5' >x"), Contains(one_of_two));
    CHECK_THAT(why("echo '==1== Collected : 99999999999999999999' >x"), Contains(one_of_two));
    CHECK_THAT(
        why("for i in 1 2 3; do echo '==1== Collected : 9007199254740991' >x$i; done"),
        Contains("too large"));
    CHECK_THAT(
        why("i=0; while [ $i -lt 10001 ]; do i=$((i + 1)); : >$i; done"),
        Contains("more than 10000 processes"));
    CHECK_THAT(why("cd ..; rm -r .vigil-callgrind"), Contains("removed"));
    CHECK_THAT(
        why("cd ..; rm -r .vigil-callgrind; ln -s /tmp .vigil-callgrind"), Contains("removed"));
}

TEST_CASE("A process that was killed leaves no count", "[worker][run]") {
    if (!has_valgrind()) return;
    const RunPlace place;
    auto runner = make_runner();
    const auto report = run_in(
        place,
        runner,
        place.shell("mkfifo $TMPDIR/go; (echo >$TMPDIR/go; exec sleep 1000) & read x <$TMPDIR/go; "
                    "kill -9 $!; wait; exit 0"));
    CHECK(report.exit_code == 0);
    CHECK_THAT(why_none(report), Contains("killed by SIGKILL"));
}

TEST_CASE("Only what a benchmark marks is profiled", "[worker][run]") {
    if (!has_valgrind()) return;
    const RunPlace place;
    if (!compile(place, "-DMARKED")) return;
    const auto profile = profile_in(place, {"./program"});
    CHECK(profile.is_marked);
    CHECK(profile.cut_after_s == 0);
    CHECK(cost_of(profile, "step") > 300'000);
    CHECK(cost_of(profile, "start") == 0);
}

TEST_CASE("A benchmark without marks is profiled from its start to its end", "[worker][run]") {
    if (!has_valgrind()) return;
    const RunPlace place;
    REQUIRE(compile(place, ""));
    const auto profile = profile_in(place, {"./program"});
    CHECK_FALSE(profile.is_marked);
    CHECK(cost_of(profile, "step") > 300'000);
    CHECK(cost_of(profile, "start") > 1'000'000);
}

TEST_CASE("A benchmark marks what it measures by lines to a FIFO", "[worker][run]") {
    if (!has_valgrind()) return;
    const RunPlace place;
    REQUIRE(compile(place, "-DBY_LINES"));
    for (const char* before : {"", "for i in 1 2; do :; done; "}) {  // a shell that waits for it
        const auto profile =
            profile_in(place, {"/bin/sh", "-c", std::string(before) + "./program; exit 0"});
        CHECK(profile.is_marked);
        CHECK(cost_of(profile, "step") > 300'000);
        CHECK(cost_of(profile, "start") == 0);
    }
    // Whatever else is written there.
    const auto odd = profile_in(
        place,
        {"/bin/sh",
         "-c",
         "test -z \"$VIGIL_PROFILE_FIFO\" || printf 'on\\0\\377 $(exit)\\n' "
         ">\"$VIGIL_PROFILE_FIFO\"; " +
             std::string(busy)});
    CHECK_FALSE(odd.is_marked);
}

TEST_CASE("What takes too long is cut, and what it did until then is told", "[worker][run]") {
    if (!has_valgrind()) return;
    const RunPlace place;
    REQUIRE(compile(place, ""));
    // The pass that looks for marks, which has a FIFO for them, ends by itself: the other one,
    // which counts, has the time that is left.
    const auto profile = profile_in(
        place,
        {"/bin/sh",
         "-c",
         "test -z \"$VIGIL_PROFILE_FIFO\" || exec ./program; exec ./program 1000000"},
        16);
    CHECK(profile.cut_after_s > 0);
    CHECK(cost_of(profile, "step") > 300'000);
}

TEST_CASE("A profiled benchmark knows how many seconds it has", "[worker][run]") {
    if (!has_valgrind()) return;
    const RunPlace place;
    auto runner = make_runner();
    auto request = place.shell("echo $VIGIL_PROFILE_S; " + std::string(busy));
    const auto run = run_for_profile(runner, request);
    CHECK_THAT(run.report.output, Catch::Matches("[0-9]+\\n"));
    CHECK(run.why_none.empty());
    CHECK_THAT(what_helps(run), Contains("PS4"));
}
