#include "worker/run/machine.hpp"

#include <catch2/catch.hpp>

#include "tests/integration/worker/run/run_fixture.hpp"

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
