#include "worker/machine/machine_snapshot.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "worker/machine/machine.hpp"
#include "worker/run/callgrind.hpp"
#include "worker/run/launch.hpp"
#include "worker/run/profile/perf.hpp"
#include "worker/run/text_file.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

std::string line_of(const fs::path& file) {
    return first_line(file, 400);
}

/// "0-3,8" is five; 0 when it is no such list.
int count_cpus(const std::string& list) {
    int count = 0;
    std::istringstream in(list);
    for (std::string part; std::getline(in, part, ',');) {
        int first = 0;
        int last = 0;
        char dash = 0;
        std::istringstream range(part);
        if (!(range >> first)) return 0;
        last = first;
        if (range >> dash && (dash != '-' || !(range >> last))) return 0;
        if (first < 0 || last < first || last > 1'000'000) return 0;
        count += last - first + 1;
    }
    return count;
}

std::vector<std::string> governors_below(const fs::path& cpus) {
    std::vector<std::string> governors;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(cpus, ignored)) {
        auto governor = line_of(entry.path() / "cpufreq/scaling_governor");
        if (!governor.empty()) governors.push_back(std::move(governor));
    }
    std::sort(governors.begin(), governors.end());
    return governors;
}

/// Those of processor 0; the kernel has the same for all.
std::vector<IdleState> idle_states_below(const fs::path& cpus) {
    std::vector<IdleState> states;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(cpus / "cpu0/cpuidle", ignored)) {
        const auto name = line_of(entry.path() / "name");
        if (name.empty() || line_of(entry.path() / "disable") == "1") continue;
        const auto wake_us = std::strtol(line_of(entry.path() / "latency").c_str(), nullptr, 10);
        states.push_back({name, wake_us});
    }
    return states;
}

std::vector<std::string> allocators_below(const fs::path& root) {
    std::vector<std::string> found;
    for (const auto& [allocator, name] : enum_names<Allocator>) {
        if (!find_allocator(allocator, root).empty()) found.emplace_back(name);
    }
    return found;
}

}  // namespace

GpuState gpu_state(const GpuValues& values) {
    return {
        value_of(values, "name"),
        value_of(values, "persistence_mode"),
        value_of(values, "clocks.applications.graphics"),
        value_of(values, "clocks.max.graphics"),
        value_of(values, "clocks_throttle_reasons.active")};
}

MachineSnapshot read_machine_snapshot(const fs::path& root) {
    const fs::path cpus = root / "sys/devices/system/cpu";
    MachineSnapshot snapshot;
    snapshot.governors = governors_below(cpus);
    snapshot.no_turbo = line_of(cpus / "intel_pstate/no_turbo");
    snapshot.boost = line_of(cpus / "cpufreq/boost");
    snapshot.smt_control = line_of(cpus / "smt/control");
    snapshot.smt_active = line_of(cpus / "smt/active");
    std::error_code ignored;
    if (fs::exists(cpus / "isolated", ignored)) snapshot.isolated_cpus = line_of(cpus / "isolated");
    snapshot.huge_pages = line_of(root / "sys/kernel/mm/transparent_hugepage/enabled");
    snapshot.load = line_of(root / "proc/loadavg");
    snapshot.cpu_flags = value_of(fields_of(root / "proc/cpuinfo"), "flags");
    snapshot.cpu_times = line_of(root / "proc/stat");
    snapshot.cpus = count_cpus(line_of(cpus / "online"));
    snapshot.idle_states = idle_states_below(cpus);
    const auto numa_parts = parse_cores(line_of(root / "sys/devices/system/node/online"));
    snapshot.numa_parts = numa_parts.value_or(std::vector<int>{});
    snapshot.numa_balancing = line_of(root / "proc/sys/kernel/numa_balancing");
    snapshot.allocators = allocators_below(root);
    snapshot.has_valgrind = !find_valgrind(root).empty();
    if (root != "/") return snapshot;
    snapshot.tried_counter = true;
    snapshot.no_counter = find_refusal(instructions_counter);
    snapshot.no_perf = why_no_perf();
    const auto list = list_gpus();
    snapshot.gpu_absence = list.absence;
    for (const auto& values : list.gpus) {
        if (value_of(values, "maker").empty())
            snapshot.gpus.push_back(gpu_state(values));
        else
            snapshot.gpu_absence = "of AMD's nothing is known here";
    }
    return snapshot;
}

}  // namespace vigil::worker
