#include "worker/run/share.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/model/launch.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/nearest.hpp"
#include "worker/run/launch.hpp"
#include "worker/run/spawn.hpp"
#include "worker/run/text_file.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_devices = 64;
constexpr const char* kfd = "kfd";

bool is_number(const std::string& text) {
    return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == text.npos;
}

/// Folders of a folder, by name; numbers by their value.
std::vector<fs::path> folders_of(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
        const auto x = a.filename().string();
        const auto y = b.filename().string();
        if (is_number(x) && is_number(y) && x.size() != y.size()) return x.size() < y.size();
        return x < y;
    });
    if (found.size() > max_devices) found.resize(max_devices);
    return found;
}

/// By address on the bus, which is the driver's order.
void list_nvidia(const fs::path& root, GpuDevices& into) {
    int index = 0;
    for (const auto& folder : folders_of(root / "proc/driver/nvidia/gpus")) {
        const auto fields = fields_of(folder / "information");
        const auto minor = value_of(fields, "Device Minor");
        if (!is_number(minor)) continue;
        const auto id = text::one_line(value_of(fields, "GPU UUID"), 100);
        into.push_back({GpuMaker::nvidia, index++, id, "nvidia" + minor});
    }
}

/// "simd_count 256" and the like.
std::string property_of(const fs::path& file, const std::string& name) {
    std::istringstream in(read_text(file));
    for (std::string key, value; in >> key >> value;) {
        if (key == name) return value;
    }
    return "";
}

/// Processors stand there too, without a render device.
void list_amd(const fs::path& root, GpuDevices& into) {
    int index = 0;
    for (const auto& folder : folders_of(root / "sys/class/kfd/kfd/topology/nodes")) {
        const auto file = folder / "properties";
        const auto minor = property_of(file, "drm_render_minor");
        if (!is_number(minor) || minor == "0" || minor == "-1") continue;
        const auto unique = std::strtoull(property_of(file, "unique_id").c_str(), nullptr, 10);
        const auto id = unique == 0 ? "" : fmt::format("GPU-{:016x}", unique);
        into.push_back({GpuMaker::amd, index++, id, "dri/renderD" + minor});
    }
}

std::string words_of(const GpuDevices& gpus) {
    std::vector<std::string> words;
    for (const auto& gpu : gpus) {
        words.push_back(
            gpu.id.empty() ? std::to_string(gpu.index) : fmt::format("{} ({})", gpu.index, gpu.id));
    }
    return words.empty() ? "none" : text::joined(words);
}

template <class Value>
bool has(const std::optional<GpuDevices>& gpus, Value GpuDevice::*member, const Value& value) {
    return !gpus || std::ranges::count(*gpus, value, member) > 0;
}

std::vector<std::string> names_in(const fs::path& folder, const std::string& start) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        auto name = entry.path().filename().string();
        if (name.rfind(start, 0) == 0) names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

GpuDevices list_gpu_devices(const fs::path& root) {
    GpuDevices all;
    list_nvidia(root, all);
    list_amd(root, all);
    return all;
}

GpuDevices choose_gpus(const std::vector<std::string>& wanted, const GpuDevices& all) {
    GpuDevices chosen;
    for (const auto& name : wanted) {
        const auto maker = all.empty() ? GpuMaker::nvidia : all.front().maker;
        const auto found = std::find_if(all.begin(), all.end(), [&](const GpuDevice& gpu) {
            return (!gpu.id.empty() && gpu.id == name) ||
                   (gpu.maker == maker && std::to_string(gpu.index) == name);
        });
        if (found == all.end()) {
            throw Error(
                Errc::invalid_argument,
                fmt::format(
                    "gpus names {}, which this machine does not have; it has {}",
                    text::one_line(name, 100),
                    words_of(all)));
        }
        if (std::find(chosen.begin(), chosen.end(), *found) == chosen.end()) {
            chosen.push_back(*found);
        }
    }
    return chosen;
}

std::vector<std::string> gpu_files(const std::optional<GpuDevices>& gpus, const fs::path& dev) {
    std::vector<std::string> files;
    std::error_code ignored;
    if (fs::exists(dev / "nvidiactl", ignored) && has(gpus, &GpuDevice::maker, GpuMaker::nvidia)) {
        for (const auto& name : names_in(dev, "nvidia")) {
            const bool one = is_number(name.substr(6));  // the others are for all of them
            if (!one || has(gpus, &GpuDevice::file, name)) files.push_back(name);
        }
    }
    if (fs::exists(dev / kfd, ignored) && has(gpus, &GpuDevice::maker, GpuMaker::amd)) {
        files.emplace_back(kfd);
        for (const auto& name : names_in(dev / "dri", "renderD")) {
            if (has(gpus, &GpuDevice::file, "dri/" + name)) files.push_back("dri/" + name);
        }
    }
    return files;
}

EnvironmentVariables gpu_variables(const GpuDevices& gpus) {
    std::vector<std::string> nvidia;
    std::vector<std::string> amd;
    for (const auto& gpu : gpus) {
        auto& ids = gpu.maker == GpuMaker::nvidia ? nvidia : amd;
        if (!gpu.id.empty()) ids.push_back(gpu.id);
    }
    EnvironmentVariables variables{{"CUDA_VISIBLE_DEVICES", text::joined(nvidia, ",")}};
    if (!amd.empty()) variables["ROCR_VISIBLE_DEVICES"] = text::joined(amd, ",");
    // Where it stands, ROCm takes the other one for its own too.
    if (nvidia.empty() && has(gpus, &GpuDevice::maker, GpuMaker::amd))
        variables.erase("CUDA_VISIBLE_DEVICES");
    return variables;
}

void keep_to(const MachineShare& share) {
    Launch launch;
    launch.cores = cores_text(share.cores);
    launch.numa_memory = share.numa_memory;
    const auto applied = apply_launch(launch, own_processors());
    if (!applied.processors.empty()) {
        cpu_set_t set;
        CPU_ZERO(&set);
        for (const int core : applied.processors) CPU_SET(static_cast<std::size_t>(core), &set);
        if (::sched_setaffinity(0, sizeof set, &set) != 0) {
            throw Error(
                Errc::unavailable,
                fmt::format("keeping to cores {}: {}", launch.cores, std::strerror(errno)));
        }
    }
    if (applied.numa_memory && !bind_memory(*applied.numa_memory)) {
        throw Error(
            Errc::unavailable,
            fmt::format(
                "keeping to memory of node {}: {}", *applied.numa_memory, std::strerror(errno)));
    }
}

std::map<std::string, std::string> facts_of(const MachineShare& share) {
    std::map<std::string, std::string> facts;
    if (!share.cores.empty()) facts["worker_cores"] = cores_text(share.cores);
    if (share.numa_memory) facts["worker_memory_node"] = std::to_string(*share.numa_memory);
    if (share.gpus) facts["worker_gpus"] = words_of(*share.gpus);
    return facts;
}

}  // namespace vigil::worker
