#include "worker/machine/machine_check.hpp"

#include <cerrno>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "worker/machine/machine.hpp"

using namespace vigil;
using namespace vigil::worker;
using Catch::Contains;

namespace {

/// A machine on which nothing is wrong.
MachineSnapshot steady() {
    MachineSnapshot snapshot;
    snapshot.governors = {"performance", "performance"};
    snapshot.no_turbo = "1";
    snapshot.smt_control = "off";
    snapshot.isolated_cpus = "1";
    snapshot.huge_pages = "always [madvise] never";
    snapshot.load = "0.02 0.10 0.20 1/100 77";
    snapshot.cpu_flags = "fpu avx2";
    snapshot.cpus = 2;
    snapshot.idle_states = {{"POLL", 0}, {"C1", 2}};
    snapshot.numa_parts = {0, 1};
    snapshot.numa_balancing = "0";
    snapshot.allocators = {"jemalloc"};
    snapshot.tried_counter = true;
    snapshot.has_valgrind = true;
    snapshot.no_perf = "";
    snapshot.gpus = {{"Tesla", "Enabled", "1200", "1980", "0x0000000000000002"}};
    return snapshot;
}

MachineCheck check_of(const MachineSnapshot& snapshot, const std::string& name) {
    for (auto& check : check_machine(snapshot)) {
        if (check.name == name) return check;
    }
    FAIL("no check of the name " + name);
    return {};
}

void warns_with(
    const MachineSnapshot& snapshot, const std::string& name, const std::string& to_do) {
    const auto check = check_of(snapshot, name);
    CAPTURE(name, check.seen);
    CHECK(check.finding == CheckFinding::warn);
    CHECK_THAT(check.advice, Contains(to_do));
}

}  // namespace

TEST_CASE("A steady machine passes every check", "[worker][run]") {
    const auto checks = check_machine(steady());
    CHECK(checks.size() == 15);
    for (const auto& check : checks) {
        CAPTURE(check.name, check.seen);
        CHECK(check.finding == CheckFinding::pass);
        CHECK(check.advice.empty());
    }
    CHECK(checks_json(checks).at("warnings") == 0);
}

TEST_CASE("Whatever moves numbers is warned of, with what to do", "[worker][run]") {
    auto machine = steady();
    machine.governors = {"performance", "powersave"};
    machine.no_turbo = "0";
    machine.smt_control = "on";
    machine.isolated_cpus = "";
    machine.huge_pages = "[always] madvise never";
    machine.load = "3.50 2.00 1.00 4/100 77";
    machine.cpu_flags = "fpu hypervisor avx2";
    machine.cpu_times = "cpu 100 0 100 700 0 0 0 100 0 0";
    machine.gpus = {{"Tesla", "Disabled", "1980", "1980", "0x0"}};
    warns_with(machine, "governor", "performance");
    CHECK(check_of(machine, "governor").seen == "performance, powersave on 2 CPUs");
    warns_with(machine, "turbo", "no_turbo");
    machine.idle_states = {{"C6", 133}, {"POLL", 0}};
    machine.numa_balancing = "1";
    warns_with(machine, "c-states", "cpupower idle-set --disable-by-latency 10");
    CHECK(check_of(machine, "c-states").seen == "down to C6, 133 us to wake");
    warns_with(machine, "numa", "numa_balancing");
    warns_with(machine, "smt", "smt/control");
    warns_with(machine, "isolated cores", "isolcpus");
    warns_with(machine, "huge pages", "madvise");
    warns_with(machine, "load", "top");
    CHECK(check_of(machine, "load").seen == "3.50 in the last minute, 2 CPUs");
    warns_with(machine, "virtual machine", "interleave");
    CHECK_THAT(check_of(machine, "virtual machine").seen, Contains("10.0 %"));
    warns_with(machine, "gpu0 persistence", "-pm 1");
    warns_with(machine, "gpu0 clocks", "-lgc");
    CHECK(checks_json(check_machine(machine)).at("warnings") == 11);
}

TEST_CASE("What a machine does not show is unknown, never passed", "[worker][run]") {
    for (const auto& check : check_machine({})) {
        CAPTURE(check.name);
        CHECK(check.finding == CheckFinding::unknown);
        CHECK_FALSE(check.seen.empty());
    }
    MachineSnapshot guest;
    guest.cpu_flags = "hypervisor";
    CHECK_THAT(check_of(guest, "governor").advice, Contains("below this virtual one"));
    CHECK_THAT(check_of(guest, "allocators").advice, Contains("libjemalloc2"));
    CHECK_THAT(check_of(guest, "callgrind").advice, Contains("apt-get install valgrind"));
    guest.no_perf = "perf is not installed: apt-get install linux-perf";
    CHECK(check_of(guest, "perf").finding == CheckFinding::unknown);
    CHECK(check_of(guest, "perf").seen == "perf is not installed");
    CHECK(check_of(guest, "perf").advice == "apt-get install linux-perf");
    CHECK(check_of(guest, "gpu clocks").finding == CheckFinding::unknown);
}

TEST_CASE("Each maker's switch of turbo and SMT is understood", "[worker][run]") {
    MachineSnapshot machine;
    machine.boost = "0";
    CHECK(check_of(machine, "turbo").finding == CheckFinding::pass);
    machine.boost = "1";
    warns_with(machine, "turbo", "boost");
    for (const auto* off : {"off", "forceoff", "notsupported", "notimplemented"}) {
        machine.smt_control = off;
        CHECK(check_of(machine, "smt").finding == CheckFinding::pass);
    }
    machine.smt_control = "on";  // and yet no core has a sibling
    machine.smt_active = "0";
    CHECK(check_of(machine, "smt").finding == CheckFinding::pass);
    machine.smt_active = "1";
    CHECK(check_of(machine, "smt").finding == CheckFinding::warn);
}

TEST_CASE("A GPU that is throttled, or says nothing, does not pass", "[worker][run]") {
    auto machine = steady();
    machine.gpus[0].throttle_reasons = "0x0000000000000004";
    warns_with(machine, "gpu0 clocks", "PERFORMANCE");
    machine.gpus[0] = {"Tesla", "[N/A]", "[N/A]", "1980", "0x1"};
    CHECK(check_of(machine, "gpu0 clocks").finding == CheckFinding::unknown);
    CHECK(check_of(machine, "gpu0 persistence").finding == CheckFinding::unknown);
    machine.gpus[0].throttle_reasons = "[N/A]";
    CHECK(check_of(machine, "gpu0 clocks").finding == CheckFinding::unknown);
}

TEST_CASE("What nvidia-smi prints is taken apart, and nothing else is", "[worker][run]") {
    const std::vector<std::string> names{
        "name", "persistence_mode", "clocks.applications.graphics", "clocks.max.graphics", "x"};
    const auto gpus = parse_gpu_values(
        names,
        "NVIDIA H100, Enabled, 1980, 1980, 0x0000000000000001\nNo devices were found\n\n"
        "a,b,c,d,e,f\nNVIDIA A100, Disabled, [N/A], 1410, 0x0\n");
    REQUIRE(gpus.size() == 2);
    CHECK(gpu_state(gpus[0]).name == "NVIDIA H100");
    CHECK(gpu_state(gpus[0]).persistence == "Enabled");
    CHECK(gpu_state(gpus[0]).throttle_reasons.empty());
    CHECK(gpu_state(gpus[1]).max_clock_mhz == "1410");
    CHECK(parse_gpu_values(names, std::string(100000, '\n')).empty());
}

TEST_CASE("Broken files are unknown", "[worker][run]") {
    MachineSnapshot machine;
    machine.huge_pages = "]always[";
    machine.load = "much";
    machine.cpu_flags = "hypervisor";
    machine.cpu_times = "cpu x";
    CHECK(check_of(machine, "huge pages").finding == CheckFinding::unknown);
    CHECK(check_of(machine, "load").finding == CheckFinding::unknown);
    CHECK(check_of(machine, "virtual machine").finding == CheckFinding::warn);
}

TEST_CASE("Checks print a line each, and what to do below", "[worker][run]") {
    const std::vector<MachineCheck> checks{
        {"turbo", CheckFinding::warn, "on", "switch it off"},
        {"smt", CheckFinding::pass, "off", ""}};
    CHECK(
        checks_text(checks) ==
        "warn     turbo            on\n"
        "                          do: switch it off\n"
        "pass     smt              off\n");
    CHECK(checks_json(checks).at("checks").at(0).at("finding") == "warn");
}

TEST_CASE("Whether instructions can be counted is told, and is no warning", "[worker][run]") {
    auto machine = steady();
    machine.no_counter = counter_refusal(EACCES, "3");
    auto check = check_of(machine, "instructions");
    CHECK(check.finding == CheckFinding::unknown);
    CHECK_THAT(check.seen, Contains("perf_event_paranoid is 3"));
    CHECK_THAT(check.advice, Contains("sysctl"));
    machine.tried_counter = false;
    machine.no_counter.reset();
    check = check_of(machine, "instructions");
    CHECK(check.finding == CheckFinding::unknown);
}
