#include "worker/machine/machine.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>

#include <fmt/core.h>
#include <gnu/libc-version.h>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/nearest.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "worker/machine/toolchain.hpp"
#include "worker/run/text_file.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr const char* nvidia_smi = "/usr/bin/nvidia-smi";
constexpr std::size_t max_gpus = 16;

class Facts {
  public:
    explicit Facts(std::map<std::string, std::string>& into) : into_(into) {}
    void set(const std::string& name, const std::string& value) {
        if (!value.empty()) into_[name] = value;
    }

  private:
    std::map<std::string, std::string>& into_;
};

/// "16318412 kB" in bytes.
std::string bytes_of(const std::string& kilobytes) {
    const auto value = std::strtoll(kilobytes.c_str(), nullptr, 10);
    return value > 0 ? std::to_string(value * 1024) : "";
}

/// The one value all CPUs have in a file of theirs, or all of them.
std::string of_cpus(const fs::path& cpus, const std::string& file) {
    std::set<std::string> values;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(cpus, ignored)) {
        const auto value = first_line(entry.path() / file);
        if (!value.empty()) values.insert(value);
    }
    return text::joined({values.begin(), values.end()});
}

std::string turbo_of(const fs::path& cpus) {
    const auto no_turbo = first_line(cpus / "intel_pstate/no_turbo");
    if (!no_turbo.empty()) return no_turbo == "0" ? "on" : "off";
    const auto boost = first_line(cpus / "cpufreq/boost");
    if (!boost.empty()) return boost == "1" ? "on" : "off";
    return "";
}

/// Instruction sets that libraries choose their kernels by.
std::string vector_sets(const std::string& flags) {
    const auto padded = " " + flags + " ";
    std::vector<std::string> found;
    for (const std::string name :
         {"avx", "avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile"}) {
        if (padded.find(" " + name + " ") != padded.npos) found.push_back(name);
    }
    return text::joined(found, " ");
}

void read_cpu(const fs::path& root, Facts& facts) {
    const auto cpu = fields_of(root / "proc/cpuinfo");
    const auto flags = value_of(cpu, "flags");
    const auto cpus = root / "sys/devices/system/cpu";
    facts.set("cpu_model", value_of(cpu, "model name"));
    facts.set("cpu_microcode", value_of(cpu, "microcode"));
    facts.set("cpu_vector_sets", vector_sets(flags));
    facts.set("cpus", std::to_string(::sysconf(_SC_NPROCESSORS_ONLN)));
    facts.set("cpus_online", first_line(cpus / "online"));
    facts.set("cpu_governor", of_cpus(cpus, "cpufreq/scaling_governor"));
    facts.set("cpu_turbo", turbo_of(cpus));
    facts.set("cpu_smt", first_line(cpus / "smt/control"));
    facts.set("numa_nodes", first_line(root / "sys/devices/system/node/online"));
    const bool virtualised = (" " + flags + " ").find(" hypervisor ") != std::string::npos;
    facts.set("virtual_machine", virtualised ? "yes" : "no");
}

void read_system(const fs::path& root, Facts& facts) {
    utsname name{};
    if (::uname(&name) == 0) {
        facts.set("kernel", name.release);
        facts.set("architecture", name.machine);
    }
    std::ifstream release(root / "etc/os-release");
    for (std::string line; std::getline(release, line);) {
        const std::string key = "PRETTY_NAME=";
        if (line.rfind(key, 0) == 0) facts.set("system", text::one_line(line.substr(key.size())));
    }
    facts.set("libc", std::string("glibc ") + ::gnu_get_libc_version());
    facts.set("address_randomisation", first_line(root / "proc/sys/kernel/randomize_va_space"));
    facts.set(
        "transparent_huge_pages", first_line(root / "sys/kernel/mm/transparent_hugepage/enabled"));
    const auto memory = fields_of(root / "proc/meminfo");
    facts.set("memory_bytes", bytes_of(value_of(memory, "MemTotal")));
    facts.set("swap_bytes", bytes_of(value_of(memory, "SwapTotal")));
}

void read_readings(const fs::path& root, Facts& readings) {
    std::istringstream load(first_line(root / "proc/loadavg"));
    std::array<std::string, 4> parts;
    for (auto& part : parts) load >> part;
    readings.set("load_1_min", parts[0]);
    readings.set("load_5_min", parts[1]);
    readings.set("processes", parts[3]);
    const auto memory = fields_of(root / "proc/meminfo");
    readings.set("memory_available_bytes", bytes_of(value_of(memory, "MemAvailable")));
    readings.set("cpu_mhz", value_of(fields_of(root / "proc/cpuinfo"), "cpu MHz"));
    readings.set("cpu_pressure", first_line(root / "proc/pressure/cpu"));
    std::error_code ignored;
    for (const auto& zone : fs::directory_iterator(root / "sys/class/thermal", ignored)) {
        const auto type = first_line(zone.path() / "type");
        if (!type.empty()) {
            readings.set("temperature_millicelsius " + type, first_line(zone.path() / "temp"));
        }
    }
}

std::vector<std::string> split_fields(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ',');)
        fields.push_back(text::one_line(field, 200));
    return fields;
}

constexpr std::array gpu_facts{
    "name",
    "driver_version",
    "vbios_version",
    "memory.total",
    "persistence_mode",
    "compute_mode",
    "clocks.applications.graphics",
    "clocks.max.graphics",
    "power.limit"};
constexpr std::array gpu_readings{
    "temperature.gpu",
    "clocks.sm",
    "clocks.mem",
    "power.draw",
    "utilization.gpu",
    "clocks_throttle_reasons.active"};

/// Where the driver's library cannot be asked.
std::vector<GpuValues> ask_nvidia_smi() {
    std::vector<std::string> names(gpu_facts.begin(), gpu_facts.end());
    names.insert(names.end(), gpu_readings.begin(), gpu_readings.end());
    const auto query = "--query-gpu=" + text::joined(names, ",");
    return parse_gpu_values(
        names, printed_by({nvidia_smi, query, "--format=csv,noheader,nounits"}, 64 * 1024));
}

constexpr std::array rocm_smi{"/opt/rocm/bin/rocm-smi", "/usr/bin/rocm-smi"};
constexpr const char* amd = "amd";

std::vector<GpuValues> ask_rocm_smi() {
    for (const char* program : rocm_smi) {
        std::error_code ignored;
        if (!fs::exists(program, ignored)) continue;
        return parse_rocm_values(printed_by(
            {program,
             "--showproductname",
             "--showdriverversion",
             "--showvbios",
             "--showmaxpower",
             "--showtemp",
             "--showuse",
             "--json"},
            64 * 1024));
    }
    return {};
}

/// How rocm-smi calls what nvidia-smi calls so, in small letters: versions differ in them.
const std::map<std::string, std::string>& rocm_names() {
    static const std::map<std::string, std::string> names{
        {"card series", "name"},
        {"vbios version", "vbios_version"},
        {"max graphics package power (w)", "power.limit"},
        {"temperature (sensor edge) (c)", "temperature.gpu"},
        {"gpu use (%)", "utilization.gpu"},
        {"driver version", "driver_version"}};
    return names;
}

/// The members of one object that have a name in nvidia-smi's words.
GpuValues rocm_values_of(wire::ObjectReader& in, const std::string& key) {
    GpuValues values;
    for (const auto& [name, item] : in.members(key, 1000)) {
        std::string small = name;
        std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) {
            return static_cast<char>(std::tolower(c));
        });
        const auto known = rocm_names().find(small);
        if (known == rocm_names().end() || !item.value->is_string()) continue;
        values[known->second] = text::one_line(item.value->get<std::string>(), 200);
    }
    return values;
}

/// A fact or reading per GPU and name, "gpu0 name".
void set_gpus(const std::vector<GpuValues>& gpus, Facts& facts, Facts& readings) {
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        const auto set = [&](Facts& into, const char* name) {
            into.set(fmt::format("gpu{} {}", i, name), value_of(gpus[i], name));
        };
        for (const char* name : gpu_facts) set(facts, name);
        for (const char* name : gpu_readings) set(readings, name);
    }
}

/// The driver's library and its files have one order: that of the bus.
std::vector<GpuValues> own_of(std::vector<GpuValues> all, const std::optional<GpuDevices>& gpus) {
    if (!gpus) return all;
    std::vector<GpuValues> own;
    for (const auto& gpu : *gpus) {
        const auto index = static_cast<std::size_t>(gpu.index);
        if (index >= all.size()) continue;
        const bool of_amd = value_of(all[index], "maker") == amd;
        if (of_amd == (gpu.maker == GpuMaker::amd)) own.push_back(all[index]);
    }
    return own;
}

}  // namespace

EnvironmentRecord read_environment(const fs::path& root, const std::optional<GpuDevices>& gpus) {
    EnvironmentRecord record;
    Facts facts(record.facts);
    Facts readings(record.readings);
    read_cpu(root, facts);
    read_system(root, facts);
    read_readings(root, readings);
    if (root == "/") set_gpus(own_of(list_gpus().gpus, gpus), facts, readings);
    return record;
}

std::vector<GpuValues> parse_gpu_values(
    const std::vector<std::string>& names, const std::string& csv) {
    std::vector<GpuValues> gpus;
    std::istringstream lines(csv);
    for (std::string line; gpus.size() < max_gpus && std::getline(lines, line);) {
        const auto fields = split_fields(line);
        if (fields.size() != names.size()) continue;
        GpuValues values;
        for (std::size_t i = 0; i < names.size(); ++i) values[names[i]] = fields[i];
        gpus.push_back(std::move(values));
    }
    return gpus;
}

std::vector<GpuValues> parse_rocm_values(const std::string& json) {
    std::vector<GpuValues> gpus;
    try {
        const auto value = wire::parse_json(json, "what rocm-smi prints");
        wire::ObjectReader in(value, "rocm-smi");
        GpuValues system;
        if (in.has("system")) system = rocm_values_of(in, "system");
        for (std::size_t card = 0; card < 10 * max_gpus && gpus.size() < max_gpus; ++card) {
            const auto key = fmt::format("card{}", card);
            if (!in.has(key)) continue;
            auto values = rocm_values_of(in, key);
            values.merge(GpuValues(system));
            values["maker"] = amd;
            gpus.push_back(std::move(values));
        }
    } catch (const Error&) {
        return {};
    }
    return gpus;
}

GpuList list_gpus() {
    auto list = ask_nvml();
    if (!list.gpus.empty()) return list;
    list.gpus = ask_nvidia_smi();
    if (list.gpus.empty()) list.gpus = ask_rocm_smi();
    if (!list.gpus.empty()) list.absence.clear();
    return list;
}

Fingerprint make_fingerprint(
    const EnvironmentRecord& environment,
    std::map<std::string, std::string> labels,
    const std::string& toolchain) {
    const auto fact = [&](const std::string& name) { return value_of(environment.facts, name); };
    Fingerprint fingerprint;
    fingerprint.cpu_model = fact("cpu_model");
    fingerprint.cpus = std::max(1, std::atoi(fact("cpus").c_str()));
    fingerprint.memory_bytes = std::strtoll(fact("memory_bytes").c_str(), nullptr, 10);
    for (std::size_t gpu = 0; gpu < max_gpus; ++gpu) {
        const auto name = fact(fmt::format("gpu{} name", gpu));
        if (name.empty()) break;
        fingerprint.gpus.push_back(name + ", " + fact(fmt::format("gpu{} driver_version", gpu)));
    }
    fingerprint.labels = std::move(labels);
    fingerprint.toolchain = wire::sha256(toolchain).str();
    return fingerprint;
}

}  // namespace vigil::worker
