#include <algorithm>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "worker/run/capture.hpp"
#include "worker/run/machine_check.hpp"
#include "worker/run/run.hpp"
#include "worker/run/spawn.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr const char* smi_program = "/usr/bin/nvidia-smi";
constexpr std::size_t max_gpu_lines = 64;

std::string line_of(const fs::path& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return one_line(line, 400);
}

/// The value of the first "name : value" line.
std::string field_of(const fs::path& file, const std::string& name) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const auto colon = line.find(':');
        if (colon == line.npos || one_line(line.substr(0, colon)) != name) continue;
        return one_line(line.substr(colon + 1), 8000);
    }
    return "";
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

std::string ask_nvidia_smi() {
    if (::access(smi_program, X_OK) != 0) return "";
    SpawnRequest request;
    request.arguments = {
        smi_program,
        "--query-gpu=name,persistence_mode,clocks.applications.graphics,clocks.max.graphics,"
        "clocks_throttle_reasons.active",
        "--format=csv,noheader,nounits"};
    request.environment = {"PATH=/usr/bin:/bin", "LANG=C", "LC_ALL=C"};
    request.output_bytes = 64 * 1024;
    request.wall_time_ms = 10'000;
    const auto result = spawn(request);
    return result.status == 0 ? result.output.text() : "";
}

}  // namespace

std::vector<GpuState> parse_gpu_states(const std::string& csv) {
    std::vector<GpuState> gpus;
    std::istringstream lines(csv);
    for (std::string line; gpus.size() < max_gpu_lines && std::getline(lines, line);) {
        std::vector<std::string> cells;
        std::istringstream in(line);
        for (std::string cell; std::getline(in, cell, ',');) cells.push_back(one_line(cell, 100));
        if (cells.size() == 5) gpus.push_back({cells[0], cells[1], cells[2], cells[3], cells[4]});
    }
    return gpus;
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
    snapshot.cpu_flags = field_of(root / "proc/cpuinfo", "flags");
    snapshot.cpu_times = line_of(root / "proc/stat");
    snapshot.cpus = count_cpus(line_of(cpus / "online"));
    if (root == "/") snapshot.gpus = parse_gpu_states(ask_nvidia_smi());
    return snapshot;
}

}  // namespace vigil::worker
