#include "worker/machine/machine.hpp"

#include <catch2/catch.hpp>

#include "tests/integration/worker/run/run_fixture.hpp"
#include "worker/machine/machine_check.hpp"
#include "worker/machine/toolchain.hpp"
#include "worker/run/facts.hpp"

using namespace vigil;
using namespace vigil::worker;

TEST_CASE("The environment of this machine names its CPU, kernel and memory", "[environment]") {
    const auto record = read_environment();
    for (const auto* name : {"cpu_model", "cpus", "kernel", "memory_bytes", "libc", "system"}) {
        CAPTURE(name);
        CHECK(record.facts.count(name) == 1);
    }
    CHECK(record.readings.count("load_1_min") == 1);
    CHECK(std::stoll(record.facts.at("memory_bytes")) > 100'000'000);
}

TEST_CASE(
    "Governor, turbo, microcode and temperatures are read where there are any", "[environment]") {
    const test::ScratchFolder root;
    const auto write = [&](const std::string& file, const std::string& text) {
        test::write_file(root.path() / file, text);
    };
    write(
        "proc/cpuinfo",
        "processor\t: 0\nmodel name\t: Made Up CPU\nmicrocode\t: 0x2b\nflags\t\t: fpu avx avx2 "
        "fma\n"
        "cpu MHz\t\t: 2900.1\n\nprocessor\t: 1\nmodel name\t: Other\n");
    write("proc/meminfo", "MemTotal:  1000 kB\nMemAvailable:  400 kB\n");
    write("proc/loadavg", "0.50 0.25 0.10 2/345 678\n");
    write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
    write("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    write("sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n");
    write("sys/class/thermal/thermal_zone0/temp", "45000\n");
    const auto record = read_environment(root.path());
    CHECK(record.facts.at("cpu_model") == "Made Up CPU");
    CHECK(record.facts.at("cpu_microcode") == "0x2b");
    CHECK(record.facts.at("cpu_vector_sets") == "avx avx2 fma");
    CHECK(record.facts.at("cpu_governor") == "performance, powersave");
    CHECK(record.facts.at("cpu_turbo") == "off");
    CHECK(record.facts.at("memory_bytes") == "1024000");
    CHECK(record.facts.at("virtual_machine") == "no");
    CHECK(record.readings.at("memory_available_bytes") == "409600");
    CHECK(record.readings.at("load_1_min") == "0.50");
    CHECK(record.readings.at("temperature_millicelsius x86_pkg_temp") == "45000");
}

TEST_CASE(
    "The toolchain names the compiler, and its digest is in the fingerprint", "[environment]") {
    const auto toolchain = toolchain_text();
    CHECK_THAT(toolchain, Catch::Contains("libc: glibc"));
    CHECK_THAT(toolchain, Catch::Contains("c++: "));
    CHECK(toolchain == toolchain_text());
    const auto fingerprint = make_fingerprint(read_environment(), {{"pool", "night"}}, toolchain);
    CHECK(fingerprint.toolchain.size() == 64);
    CHECK(fingerprint.cpus >= 1);
    CHECK(fingerprint.memory_bytes > 0);
    CHECK(fingerprint.labels.at("pool") == "night");
    CHECK(make_fingerprint({}, {}, toolchain + "x").toolchain != fingerprint.toolchain);
}

TEST_CASE("A program that fails or is missing says nothing", "[environment]") {
    CHECK(output_of({"/bin/echo", "a  b"}) == "a b");
    CHECK(output_of({"/bin/false"}).empty());
    CHECK(output_of({"/no/such/program"}).empty());
}

TEST_CASE("A machine is checked by its files of /sys and /proc", "[environment]") {
    const test::ScratchFolder root;
    const auto write = [&](const std::string& file, const std::string& text) {
        test::write_file(root.path() / file, text);
    };
    const std::string cpu = "sys/devices/system/cpu/";
    write(cpu + "cpu0/cpufreq/scaling_governor", "performance\n");
    write(cpu + "cpu1/cpufreq/scaling_governor", "schedutil\n");
    write(cpu + "cpufreq/boost", "0\n");
    write(cpu + "smt/control", "on\n");
    write(cpu + "smt/active", "1\n");
    write(cpu + "isolated", "\n");
    write(cpu + "online", "0-2,5\n");
    write("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
    write("proc/loadavg", "0.10 0.25 0.10 2/345 678\n");
    write("proc/cpuinfo", "processor : 0\nflags : fpu avx\n");
    write("proc/stat", "cpu 1 2 3 4 5 6 7 8 9 10\ncpu0 1\n");
    write(cpu + "cpu0/cpuidle/state0/name", "POLL\n");
    write(cpu + "cpu0/cpuidle/state0/latency", "0\n");
    write(cpu + "cpu0/cpuidle/state1/name", "C1\n");
    write(cpu + "cpu0/cpuidle/state1/latency", "2\n");
    write(cpu + "cpu0/cpuidle/state2/name", "C6\n");
    write(cpu + "cpu0/cpuidle/state2/latency", "133\n");
    write(cpu + "cpu0/cpuidle/state2/disable", "1\n");
    write("sys/devices/system/node/online", "0-1\n");
    write("proc/sys/kernel/numa_balancing", "1\n");
    write("usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4", "");
    write("usr/bin/valgrind", "");
    std::filesystem::permissions(
        root.path() / "usr/bin/valgrind", std::filesystem::perms::owner_all);
    const auto snapshot = read_machine_snapshot(root.path());
    CHECK(snapshot.allocators == std::vector<std::string>{"tcmalloc"});
    CHECK(snapshot.governors == std::vector<std::string>{"performance", "schedutil"});
    CHECK(snapshot.isolated_cpus == "");
    CHECK(snapshot.cpus == 4);
    CHECK(snapshot.cpu_times.starts_with("cpu 1 2"));
    std::string findings;
    for (const auto& check : check_machine(snapshot)) {
        findings += check.name + " " + std::string(to_string(check.finding)) + "; ";
    }
    CHECK(
        findings ==
        "governor warn; turbo pass; c-states pass; smt warn; isolated cores warn; numa warn; "
        "huge pages pass; allocators pass; load pass; virtual machine pass; "
        "instructions unknown; callgrind pass; perf unknown; gpu persistence unknown; gpu clocks "
        "unknown; ");
}

TEST_CASE("A machine without any of the files is unknown throughout", "[environment]") {
    const test::ScratchFolder root;
    const auto snapshot = read_machine_snapshot(root.path());
    CHECK_FALSE(snapshot.isolated_cpus);
    for (const auto& check : check_machine(snapshot)) {
        CHECK(check.finding == CheckFinding::unknown);
    }
}

TEST_CASE("This machine can be checked", "[environment]") {
    CHECK(check_machine(read_machine_snapshot()).size() >= 8);
}

TEST_CASE("Clocks and throttling are read of the processors that are used", "[environment]") {
    const test::ScratchFolder root;
    CHECK_FALSE(read_clocks({0}, root.path()).mhz);
    CHECK_FALSE(read_clocks({0}, root.path()).throttles);
    const auto cpus = root.path() / "sys/devices/system/cpu";
    test::write_file(cpus / "cpu0/cpufreq/scaling_cur_freq", "1000000\n");
    test::write_file(cpus / "cpu1/cpufreq/scaling_cur_freq", "3000000\n");
    test::write_file(cpus / "cpu2/cpufreq/scaling_cur_freq", "garbage\n");
    for (const auto* name : {"cpu0", "cpu1"}) {
        test::write_file(cpus / name / "thermal_throttle/core_throttle_count", "2\n");
        test::write_file(cpus / name / "thermal_throttle/package_throttle_count", "7\n");
    }
    const auto clocks = read_clocks({0, 1, 2}, root.path());
    CHECK(clocks.mhz == 2000);
    CHECK(clocks.throttles == 2 + 2 + 7);
}
