#include "worker/machine/machine_check.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/nearest.hpp"
#include "schema/wire/json_types.hpp"

namespace vigil::worker {

namespace {

constexpr double quiet_load = 0.5;          // runnable processes, besides this one
constexpr long quick_wake_us = 10;          // less than what is measured here
constexpr double noticed_stolen = 0.005;    // of the CPU time since the start
constexpr unsigned long harmless_reasons =  // idle, application clocks, display clock
    0x1 | 0x2 | 0x100;

MachineCheck passes(const std::string& name, const std::string& seen) {
    return {name, CheckFinding::pass, seen, ""};
}

MachineCheck warns(const std::string& name, const std::string& seen, const std::string& advice) {
    return {name, CheckFinding::warn, seen, advice};
}

MachineCheck not_known(
    const std::string& name, const std::string& seen, const std::string& advice = "") {
    return {name, CheckFinding::unknown, seen, advice};
}

bool is_virtual(const MachineSnapshot& snapshot) {
    return (" " + snapshot.cpu_flags + " ").find(" hypervisor ") != std::string::npos;
}

/// Why a file is not there, and where else to look.
std::string elsewhere(const MachineSnapshot& snapshot) {
    return is_virtual(snapshot) ? "the machine below this virtual one decides; look there" : "";
}

MachineCheck judge_governor(const MachineSnapshot& snapshot) {
    const std::set<std::string> kinds(snapshot.governors.begin(), snapshot.governors.end());
    if (kinds.empty()) {
        return not_known("governor", "no CPU shows a governor", elsewhere(snapshot));
    }
    const auto seen = fmt::format(
        "{} on {} CPUs", text::joined({kinds.begin(), kinds.end()}), snapshot.governors.size());
    if (kinds == std::set<std::string>{"performance"}) return passes("governor", seen);
    return warns("governor", seen, "cpupower frequency-set --governor performance");
}

MachineCheck judge_turbo(const MachineSnapshot& snapshot) {
    const std::string name = "turbo";
    if (snapshot.no_turbo == "1" || snapshot.boost == "0") return passes(name, "off");
    if (snapshot.no_turbo != "0" && snapshot.boost != "1") {
        return not_known(name, "the machine does not show it", elsewhere(snapshot));
    }
    return warns(
        name,
        "on: clocks follow temperature and neighbours",
        snapshot.no_turbo == "0" ? "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"
                                 : "echo 0 > /sys/devices/system/cpu/cpufreq/boost");
}

MachineCheck judge_idle_states(const MachineSnapshot& snapshot) {
    const std::string name = "c-states";
    const auto& states = snapshot.idle_states;
    if (states.empty()) {
        return not_known(name, "the machine does not show them", elsewhere(snapshot));
    }
    const auto deepest =
        *std::max_element(states.begin(), states.end(), [](const IdleState& a, const IdleState& b) {
            return a.wake_us < b.wake_us;
        });
    const auto seen = fmt::format("down to {}, {} us to wake", deepest.name, deepest.wake_us);
    if (deepest.wake_us <= quick_wake_us) return passes(name, seen);
    return warns(
        name, seen, fmt::format("cpupower idle-set --disable-by-latency {}", quick_wake_us));
}

MachineCheck judge_numa(const MachineSnapshot& snapshot) {
    const std::string name = "numa";
    const auto parts = snapshot.numa_parts.size();
    if (parts == 0) return not_known(name, "the kernel does not show its nodes");
    if (parts == 1) return passes(name, "one node");
    if (snapshot.numa_balancing == "1") {
        return warns(
            name,
            fmt::format("{} nodes: the kernel moves memory between them", parts),
            "echo 0 > /proc/sys/kernel/numa_balancing, and set cores and memory_node of the "
            "worker");
    }
    return passes(
        name, fmt::format("{} nodes; memory_node of a worker or a launch keeps to one", parts));
}

MachineCheck judge_allocators(const MachineSnapshot& snapshot) {
    const std::string name = "allocators";
    if (!snapshot.allocators.empty()) return passes(name, text::joined(snapshot.allocators));
    return not_known(
        name,
        "neither jemalloc nor tcmalloc is installed",
        "apt-get install libjemalloc2 libtcmalloc-minimal4, where a launch names them");
}

MachineCheck judge_smt(const MachineSnapshot& snapshot) {
    const std::string& control = snapshot.smt_control;
    const bool off = control == "off" || control == "forceoff" || control == "notsupported" ||
                     control == "notimplemented" || snapshot.smt_active == "0";
    if (off) return passes("smt", control.empty() ? "off" : control);
    if (control == "on" || snapshot.smt_active == "1") {
        return warns(
            "smt",
            "on: two threads share a core",
            "echo off > /sys/devices/system/cpu/smt/control, or leave the siblings idle");
    }
    return not_known("smt", "the machine does not show it", elsewhere(snapshot));
}

MachineCheck judge_isolation(const MachineSnapshot& snapshot) {
    const std::string name = "isolated cores";
    if (!snapshot.isolated_cpus) return not_known(name, "the kernel does not show them");
    if (!snapshot.isolated_cpus->empty()) return passes(name, *snapshot.isolated_cpus);
    return warns(
        name,
        "none: the kernel puts other work on every core",
        "start the kernel with isolcpus=managed_irq,domain,LIST nohz_full=LIST rcu_nocbs=LIST");
}

MachineCheck judge_huge_pages(const MachineSnapshot& snapshot) {
    const std::string name = "huge pages";
    const std::string& choices = snapshot.huge_pages;
    const auto begin = choices.find('[');
    const auto end = choices.find(']');
    if (begin == choices.npos || end == choices.npos || end < begin) {
        return not_known(name, "the kernel does not show whether they are transparent");
    }
    const std::string chosen = choices.substr(begin + 1, end - begin - 1);
    if (chosen == "madvise" || chosen == "never") return passes(name, chosen);
    return warns(
        name,
        chosen + ": memory and time depend on what the kernel finds to join",
        "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
}

MachineCheck judge_load(const MachineSnapshot& snapshot) {
    std::istringstream in(snapshot.load);
    double load = 0;
    if (!(in >> load)) return not_known("load", "the kernel does not show it");
    const std::string seen =
        snapshot.cpus > 0 ? fmt::format("{:.2f} in the last minute, {} CPUs", load, snapshot.cpus)
                          : fmt::format("{:.2f} in the last minute", load);
    if (load < quiet_load) return passes("load", seen);
    return warns("load", seen, "end other work, or measure when it is done; see top");
}

/// The share of CPU time that went to other virtual machines; nothing when it is not told.
std::optional<double> stolen_share(const std::string& cpu_times) {
    std::istringstream in(cpu_times);
    std::string name;
    if (!(in >> name) || name != "cpu") return std::nullopt;
    double sum = 0;
    double stolen = 0;
    double value = 0;
    for (int i = 0; i < 8 && in >> value; ++i) {
        sum += value;
        if (i == 7) stolen = value;
    }
    return sum > 0 ? std::optional(stolen / sum) : std::nullopt;
}

MachineCheck judge_virtual(const MachineSnapshot& snapshot) {
    const std::string name = "virtual machine";
    if (snapshot.cpu_flags.empty()) return not_known(name, "the CPU shows no flags");
    if (!is_virtual(snapshot)) return passes(name, "no");
    const auto stolen = stolen_share(snapshot.cpu_times);
    const std::string seen =
        stolen && *stolen >= noticed_stolen
            ? fmt::format("yes; {:.1f} % of its CPU time went to others", 100 * *stolen)
            : "yes: neighbours that cannot be seen move its times";
    return warns(
        name,
        seen,
        "judge cpu_time_ns, set interleave above 1, or measure on a machine of its own");
}

MachineCheck judge_instructions(const MachineSnapshot& snapshot) {
    const std::string name = "instructions";
    if (!snapshot.tried_counter) return not_known(name, "no counter was tried");
    if (!snapshot.no_counter) return passes(name, "can be counted, where a project judges them");
    return not_known(name, snapshot.no_counter->why, snapshot.no_counter->advice);
}

MachineCheck judge_callgrind(const MachineSnapshot& snapshot) {
    const std::string name = "callgrind";
    if (snapshot.has_valgrind) return passes(name, "valgrind is installed");
    return not_known(
        name,
        "valgrind is not installed",
        "apt-get install valgrind, where a benchmark is counted by callgrind");
}

MachineCheck judge_perf(const MachineSnapshot& snapshot) {
    const std::string name = "perf";
    if (!snapshot.no_perf) return not_known(name, "no sampling was tried");
    if (snapshot.no_perf->empty()) return passes(name, "can sample, where a culprit is explained");
    const auto& why = *snapshot.no_perf;
    const auto ends = why.find(": ");
    return not_known(name, why.substr(0, ends), ends == why.npos ? "" : why.substr(ends + 2));
}

MachineCheck judge_persistence(const std::string& gpu, const GpuState& state) {
    const std::string name = gpu + " persistence";
    if (state.persistence == "Enabled") return passes(name, "on, " + state.name);
    if (state.persistence == "Disabled") {
        return warns(
            name,
            "off: the driver is loaded anew for each process, " + state.name,
            "nvidia-smi -pm 1");
    }
    return not_known(
        name, "the driver does not say, " + state.name, "see nvidia-smi -q; nvidia-smi -pm 1");
}

std::optional<long> megahertz(const std::string& text) {
    char* end = nullptr;
    const long value = std::strtol(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0' || value <= 0) return std::nullopt;
    return value;
}

MachineCheck judge_clocks(const std::string& gpu, const GpuState& state) {
    const std::string name = gpu + " clocks";
    char* end = nullptr;
    const unsigned long reasons = std::strtoul(state.throttle_reasons.c_str(), &end, 16);
    const bool told = !state.throttle_reasons.empty() && *end == '\0';
    if (told && (reasons & ~harmless_reasons) != 0) {
        return warns(
            name,
            "throttled, reasons " + state.throttle_reasons,
            "see nvidia-smi -q -d PERFORMANCE: power, heat or a limit");
    }
    const auto set = megahertz(state.clock_mhz);
    const auto most = megahertz(state.max_clock_mhz);
    if (!set || !most) {
        return not_known(
            name, "the driver does not say", "nvidia-smi -lgc MHZ holds them at one frequency");
    }
    if (*set < *most) return passes(name, fmt::format("held at {} of {} MHz", *set, *most));
    return warns(
        name,
        fmt::format("free up to {} MHz: they follow temperature and power", *most),
        "nvidia-smi -lgc MHZ, below the greatest");
}

}  // namespace

std::vector<MachineCheck> check_machine(const MachineSnapshot& snapshot) {
    std::vector<MachineCheck> checks{
        judge_governor(snapshot),
        judge_turbo(snapshot),
        judge_idle_states(snapshot),
        judge_smt(snapshot),
        judge_isolation(snapshot),
        judge_numa(snapshot),
        judge_huge_pages(snapshot),
        judge_allocators(snapshot),
        judge_load(snapshot),
        judge_virtual(snapshot),
        judge_instructions(snapshot),
        judge_callgrind(snapshot),
        judge_perf(snapshot)};
    for (std::size_t i = 0; i < snapshot.gpus.size(); ++i) {
        const std::string gpu = "gpu" + std::to_string(i);
        checks.push_back(judge_persistence(gpu, snapshot.gpus[i]));
        checks.push_back(judge_clocks(gpu, snapshot.gpus[i]));
    }
    for (const char* name : {"gpu persistence", "gpu clocks"}) {
        if (!snapshot.gpus.empty()) break;
        const auto& why = snapshot.gpu_absence;
        checks.push_back(not_known(name, why.empty() ? "no GPU was looked for" : "no GPU: " + why));
    }
    return checks;
}

std::string checks_text(const std::vector<MachineCheck>& checks) {
    std::string text;
    for (const auto& check : checks) {
        text += fmt::format("{:<8} {:<16} {}\n", to_string(check.finding), check.name, check.seen);
        if (!check.advice.empty()) text += fmt::format("{:<25} do: {}\n", "", check.advice);
    }
    return text;
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MachineCheck, name, finding, seen, advice)

nlohmann::json checks_json(const std::vector<MachineCheck>& checks) {
    const auto warnings = std::count_if(checks.begin(), checks.end(), [](const auto& check) {
        return check.finding == CheckFinding::warn;
    });
    return {{"checks", checks}, {"warnings", warnings}};
}

}  // namespace vigil::worker
