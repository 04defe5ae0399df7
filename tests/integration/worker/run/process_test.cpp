#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "schema/model/error.hpp"
#include "tests/integration/worker/run/run_fixture.hpp"
#include "worker/run/event_counter.hpp"
#include "worker/run/launch.hpp"

using namespace vigil;
using namespace vigil::worker;
using test::make_runner;
using test::RunPlace;

TEST_CASE("A process's output, exit code and times come back", "[worker][run]") {
    const RunPlace place;
    auto runner = make_runner();
    const auto report = runner.run(place.shell("cat data; echo trouble >&2; exit 5"));
    CHECK(report.end == RunEnd::exited);
    CHECK(report.exit_code == 5);
    CHECK(report.output == "of the product\n");
    CHECK(report.errors == "trouble\n");
    CHECK_FALSE(report.truncated);
    CHECK(report.wall_time_ns > 0);
    CHECK(report.started_at_ns > 1'600'000'000'000'000'000);
    CHECK(report.left_behind == 0);
}

TEST_CASE("A program that is not there is told from one that fails", "[worker][run]") {
    const RunPlace place;
    auto runner = make_runner();
    const auto missing = runner.run(place.request({"./no-such-program"}));
    CHECK(missing.end == RunEnd::not_started);
    CHECK_THAT(missing.message, Catch::Contains("No such file"));
    const auto no_program = runner.run(place.request({"./data"}));
    CHECK(no_program.end == RunEnd::not_started);
    CHECK_THAT(no_program.message, Catch::Contains("Permission denied"));
}

TEST_CASE("A crash is told with its signal", "[worker][run]") {
    const RunPlace place;
    auto runner = make_runner();
    const auto report = runner.run(place.shell("kill -SEGV $$"));
    CHECK(report.end == RunEnd::signalled);
    CHECK(report.signal == 11);
}

TEST_CASE("CPU time and peak memory are the process's own", "[worker][run]") {
    const RunPlace place;
    auto runner = make_runner();
    const std::vector<char> ballast(256 << 20, 'x');  // of this process: must not be counted
    REQUIRE(ballast[12345] == 'x');
    const auto small = runner.run(place.request({"/bin/true"}));
    CHECK(small.peak_bytes > 100'000);
    CHECK(small.peak_bytes < 8 << 20);
    CHECK(small.cpu_time_ns < 50'000'000);

    const auto large =
        runner.run(place.request({"python3", "-c", "x = b'1' * (100 * 1024 * 1024)"}));
    CHECK(large.exit_code == 0);
    CHECK(large.peak_bytes > 100 << 20);
    CHECK(large.peak_bytes < 150 << 20);

    const auto busy = runner.run(
        place.request({"python3", "-c", "import time\nwhile time.process_time() < 0.3: pass"}));
    CHECK(busy.cpu_time_ns > 300'000'000);
    CHECK(busy.cpu_time_ns < 900'000'000);
}

TEST_CASE("The work of a child of the process counts", "[worker][run]") {
    const RunPlace place;
    auto runner = make_runner();
    const auto report = runner.run(
        place.shell("python3 -c 'import time\nwhile time.process_time() < 0.2: pass'; exit 0"));
    CHECK(report.cpu_time_ns > 200'000'000);
}

TEST_CASE("A process that never ends is ended at its limit", "[worker][run]") {
    const RunPlace place;
    for (const auto mode : {SandboxMode::automatic, SandboxMode::off}) {
        auto runner = make_runner(mode);
        auto request = place.shell("trap '' TERM INT HUP; while :; do :; done");
        request.limits.wall_time_s = 1;
        const auto report = runner.run(request);
        CHECK(report.end == RunEnd::timed_out);
        CHECK(report.wall_time_ns >= 1'000'000'000);
        CHECK_THAT(report.message, Catch::Contains("1 s"));
    }
}

TEST_CASE("What a process leaves running is ended with it", "[worker][run]") {
    const RunPlace place;
    for (const auto mode : {SandboxMode::automatic, SandboxMode::off}) {
        auto runner = make_runner(mode);
        const auto report =
            runner.run(place.shell("setsid sh -c 'trap \"\" TERM HUP; exec sleep 1000' & "
                                   "(setsid setsid sleep 1001 &) ; exit 0"));
        CHECK(report.end == RunEnd::exited);
        CHECK(report.exit_code == 0);
        CHECK(report.left_behind >= 1);
    }
}

TEST_CASE("Far too much output is kept in part, and said so", "[worker][run]") {
    const RunPlace place;
    auto runner = make_runner();
    auto request = place.shell("echo first; head -c 1000000000 /dev/zero | tr '\\0' x; echo last");
    request.limits.output_bytes = 10'000;
    const auto report = runner.run(request);
    CHECK(report.end == RunEnd::exited);
    CHECK(report.truncated);
    CHECK(report.output_bytes == 1'000'000'011);
    CHECK(report.output.size() < 11'000);
    CHECK_THAT(report.output, Catch::StartsWith("first\n") && Catch::EndsWith("last\n"));
    CHECK_THAT(report.output, Catch::Contains("999990011 bytes left out"));
}

TEST_CASE("A process that takes too much memory is out of memory", "[worker][run]") {
    const RunPlace place;
    auto runner = make_runner();
    auto request = place.request(
        {"python3", "-c", "x = []\nwhile True: x.append(bytearray(b'1' * 10_000_000))"});
    request.limits.memory_bytes = 64 << 20;
    const auto report = runner.run(request);
    CHECK(report.end == RunEnd::out_of_memory);
    CHECK_THAT(report.message, Catch::Contains("67108864"));
    if (runner.limits_memory_by_cgroup()) CHECK(report.peak_bytes <= 80 << 20);
}

TEST_CASE("A child that runs out of memory makes its parent's failure one", "[worker][run]") {
    const RunPlace place;
    auto runner = make_runner();
    auto request = place.shell(
        "python3 -c 'x = []\nwhile True: x.append(bytearray(b\"1\" * 10_000_000))' || exit 1");
    request.limits.memory_bytes = 64 << 20;
    CHECK(runner.run(request).end == RunEnd::out_of_memory);
}

TEST_CASE("Who loses a child for want of memory did not end well", "[worker][run]") {
    const RunPlace place;
    auto runner = make_runner();
    if (!runner.limits_memory_by_cgroup()) {
        WARN("not tested, " << runner.warnings().back());
        SUCCEED();
        return;
    }
    auto request = place.shell(
        "python3 -c 'x = []\nwhile True: x.append(bytearray(b\"1\" * 10_000_000))'; echo 12; exit "
        "0");
    request.limits.memory_bytes = 64 << 20;
    const auto report = runner.run(request);
    CHECK(report.end == RunEnd::out_of_memory);
    CHECK_THAT(
        report.message,
        Catch::Contains("67108864 bytes; the kernel killed 1 process of it") &&
            Catch::Contains("ended with 0 all the same"));
    CHECK(outcome_of(report, {}).outcome == Outcome::oom);
    CHECK(outcome_of(report, {}).message == report.message);
}

TEST_CASE("A process makes no more processes than it may", "[worker][run]") {
    const RunPlace place;
    auto runner = make_runner();
    if (!test::has_sandbox(runner)) return;
    auto request = place.request(
        {"python3",
         "-c",
         "import os, time\n"
         "made = 0\n"
         "try:\n"
         "    while made < 500:\n"
         "        if os.fork() == 0: time.sleep(100)\n"
         "        made += 1\n"
         "except OSError: pass\n"
         "print(made)"});
    request.limits.processes = 20;
    const auto report = runner.run(request);
    CHECK(report.end == RunEnd::exited);
    CHECK(std::stoi(report.output) <= 20);
    CHECK(std::stoi(report.output) >= 15);
    CHECK(report.left_behind == std::stoi(report.output));
}

TEST_CASE("A process writes no file larger than it may", "[worker][run]") {
    const RunPlace place;
    auto runner = make_runner();
    auto request = place.request({"dd", "if=/dev/zero", "of=/tmp/x", "bs=65536", "count=100"});
    request.limits.disk_bytes = 100'000;
    const auto report = runner.run(request);
    CHECK(report.end == RunEnd::signalled);
    CHECK_THAT(report.message, Catch::Contains("100000 bytes"));
}

TEST_CASE("A run is stopped on request", "[worker][run]") {
    const RunPlace place;
    for (const auto mode : {SandboxMode::automatic, SandboxMode::off}) {
        auto runner = make_runner(mode);
        std::atomic<bool> stop = false;
        auto request = place.shell("trap '' TERM; echo started; while :; do sleep 0.05; done");
        request.stop = &stop;
        std::thread asker([&] { stop = true; });
        const auto report = runner.run(request);
        asker.join();
        CHECK(report.end == RunEnd::stopped);
    }
}

TEST_CASE("A worker that is killed takes its job along", "[worker][run]") {
    for (const auto mode : {SandboxMode::automatic, SandboxMode::off}) {
        const RunPlace place;
        const auto fifo = place.scratch / "started";
        REQUIRE(::mkfifo(fifo.c_str(), 0666) == 0);
        REQUIRE(::chmod(fifo.c_str(), 0666) == 0);
        const pid_t killed = ::fork();
        REQUIRE(killed >= 0);
        if (killed == 0) {
            auto runner = make_runner(mode);
            runner.run(place.shell("trap '' TERM HUP; exec sleep 1000 > $TMPDIR/started"));
            ::_exit(0);
        }
        const int held = ::open(fifo.c_str(), O_RDONLY);  // waits until the job has opened it
        REQUIRE(held >= 0);
        REQUIRE(::kill(killed, SIGKILL) == 0);
        REQUIRE(::waitpid(killed, nullptr, 0) == killed);
        ::alarm(600);
        char byte = 0;
        CHECK(::read(held, &byte, 1) == 0);  // the end: nobody has it open any more
        ::alarm(0);
        ::close(held);
    }
}

TEST_CASE("The sandbox costs less than 50 ms of a processor a run", "[worker][run]") {
    const RunPlace place;
    auto runner = make_runner();
    const auto used_us = [] {
        std::int64_t sum = 0;
        for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
            rusage usage{};
            REQUIRE(::getrusage(who, &usage) == 0);
            for (const auto& time : {usage.ru_utime, usage.ru_stime}) {
                sum += time.tv_sec * 1'000'000 + time.tv_usec;
            }
        }
        return sum;
    };
    std::vector<std::int64_t> costs_us;
    for (int i = 0; i < 20; ++i) {
        const auto before_us = used_us();
        const auto report = runner.run(place.request({"/bin/true"}));
        costs_us.push_back(used_us() - before_us - report.cpu_time_ns / 1000);
    }
    // The cheapest: other work on the machine makes some of them dearer.
    CHECK(*std::min_element(costs_us.begin(), costs_us.end()) < 50'000);
}

TEST_CASE("A request without sense is refused before anything runs", "[worker][run]") {
    const RunPlace place;
    auto runner = make_runner();
    CHECK_THROWS_AS(runner.run(place.request({})), Error);
    auto request = place.request({"/bin/true"});
    request.limits.processes = 0;
    CHECK_THROWS_AS(runner.run(request), Error);
    request = place.request({"/bin/true"});
    request.folder = place.root.path() / "nowhere";
    CHECK_THROWS_WITH(runner.run(request), Catch::Contains("nowhere"));
}

TEST_CASE("A process is held to the cores and the memory node it is given", "[worker][run]") {
    auto runner = test::make_runner();
    const test::RunPlace place;
    const auto own = own_processors();
    auto request =
        place.shell("grep Cpus_allowed_list /proc/self/status; cat /proc/self/numa_maps");
    request.processors = {own.back()};
    request.numa_memory = numa_memories().front();
    const auto report = runner.run(request);
    CAPTURE(report.errors);
    CHECK(report.exit_code == 0);
    CHECK_THAT(
        report.output, Catch::Contains("Cpus_allowed_list:\t" + cores_text(request.processors)));
    // The file is not on every kernel.
    if (std::filesystem::exists("/proc/self/numa_maps")) {
        CHECK_THAT(report.output, Catch::Contains(" bind:" + std::to_string(*request.numa_memory)));
    }
    CHECK_THAT(log_text(request, report), Catch::Contains("memory of node"));
}

TEST_CASE("What is preloaded is loaded into the command, not into the sandbox", "[worker][run]") {
    const test::RunPlace place;
    test::write_file(
        place.root.path() / "alone.c",
        "#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
        "#include <unistd.h>\n"
        "__attribute__((constructor)) static void loaded(void) {\n"
        "  char name[64] = {0}; int file = open(\"/proc/self/comm\", O_RDONLY);\n"
        "  if (read(file, name, 63) < 1 || strncmp(name, \"bwrap\", 5) == 0) abort();\n"
        "  setenv(\"LOADED\", \"yes\", 1); }\n");
    const auto compile = "cc -shared -fPIC -o " + (place.product / "alone.so").string() + " " +
                         (place.root.path() / "alone.c").string();
    REQUIRE(std::system(compile.c_str()) == 0);
    for (const auto mode : {SandboxMode::automatic, SandboxMode::off}) {
        auto runner = test::make_runner(mode);
        auto request = place.shell("echo it is $LOADED");
        const auto shown = runner.sandboxed() ? std::filesystem::path(run_path) : place.product;
        request.environment["LD_PRELOAD"] = (shown / "alone.so").string();
        const auto report = runner.run(request);
        CAPTURE(report.message, report.errors, runner.sandboxed());
        CHECK(report.output == "it is yes\n");
    }
}

namespace {

double fact_of(const RunReport& report, const std::string& name) {
    for (const auto& fact : report.facts) {
        if (fact.name == name) return fact.value.value_or(-1);
    }
    return -1;
}

}  // namespace

TEST_CASE("What can move a run's numbers is told beside them", "[worker][run]") {
    const RunPlace place;
    auto runner = make_runner();
    const auto small = runner.run(place.request({"/bin/true"}));
    const auto large = runner.run(place.shell("head -c 200000000 /dev/zero | tail -c 50000000"));
    CHECK(fact_of(small, "minor_faults") > 0);
    CHECK(fact_of(small, "major_faults") >= 0);
    CHECK(fact_of(small, "involuntary_switches") >= 0);
    CHECK(fact_of(large, "minor_faults") > 2 * fact_of(small, "minor_faults"));
    CHECK_FALSE(small.counted);
    CHECK(runner.run(place.request({"./no-such-program"})).facts.size() >= 3);
}

TEST_CASE("A counter counts a command with all that it starts", "[worker][run]") {
    const EventCounter page_faults{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS};
    const auto refusal = find_refusal(page_faults);
    if (refusal) {
        WARN("not tested: " << refusal->why);
        SUCCEED();
        return;
    }
    const RunPlace place;
    for (const auto mode : {SandboxMode::automatic, SandboxMode::off}) {
        auto runner = make_runner(mode);
        auto request = place.request({"/bin/true"});
        request.counter = page_faults;
        const auto small = runner.run(request);
        request = place.shell("(head -c 200000000 /dev/zero | tail -c 50000000) >/dev/null");
        request.counter = page_faults;
        const auto large = runner.run(request);
        REQUIRE(small.counted);
        REQUIRE(large.counted);
        // Those of the sandbox and of the supervisor's start are not in it.
        CHECK(static_cast<double>(*small.counted) <= fact_of(small, "minor_faults") + 100);
        CHECK(*large.counted > 2 * *small.counted);
    }
}

TEST_CASE("A counter that cannot be had costs the run nothing, and is told", "[worker][run]") {
    const RunPlace place;
    auto runner = make_runner();
    auto request = place.request({"/bin/true"});
    request.counter = EventCounter{PERF_TYPE_SOFTWARE, 999};
    const auto report = runner.run(request);
    CHECK(report.end == RunEnd::exited);
    CHECK_FALSE(report.counted);
    REQUIRE_FALSE(report.facts.empty());
    CHECK(report.facts.back().name == "instructions_not_counted");
    CHECK_THAT(report.facts.back().text, Catch::Contains("counters"));
}
