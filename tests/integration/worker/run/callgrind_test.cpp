#include "worker/run/callgrind.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "tests/integration/worker/run/run_fixture.hpp"

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
