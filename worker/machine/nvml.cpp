#include "worker/machine/nvml.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <optional>

#include <fmt/format.h>

#include "schema/text/lines.hpp"
#include "worker/run/run.hpp"

namespace vigil::worker {

namespace {

constexpr unsigned most_gpus = 16;
constexpr int success = 0;

/// The library's C interface, of which only what is called is declared here; enums are ints.
/// @source  NVIDIA, NVML API Reference Guide
using Device = void*;
using Text = std::array<char, 128>;

struct Memory {
    unsigned long long total_bytes;
    unsigned long long free_bytes;
    unsigned long long used_bytes;
};
struct Utilization {
    unsigned gpu_percent;
    unsigned memory_percent;
};
enum ClockKind { graphics_clock = 0, sm_clock = 1, memory_clock = 2 };
constexpr int gpu_sensor = 0;

class Nvml {
  public:
    explicit Nvml(const std::string& file)
        : library_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (library_ == nullptr) {
            absence_ = "the driver's library is not there: " + file;
            return;
        }
        const auto status = ask("nvmlInit_v2");
        if (status == success) return;
        absence_ = status ? "the driver's library refuses: " + error_text(*status)
                          : "the driver's library has no nvmlInit_v2: " + file;
    }
    ~Nvml() {
        if (absence_.empty()) ask("nvmlShutdown");
        if (library_ != nullptr) ::dlclose(library_);
    }
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    /// Calls a function by its name. @return its status; nothing: the library lacks it
    template <class... Arguments>
    std::optional<int> ask(const char* name, Arguments... arguments) const {
        void* const symbol = ::dlsym(library_, name);
        if (symbol == nullptr) return std::nullopt;
        return reinterpret_cast<int (*)(Arguments...)>(symbol)(arguments...);
    }

    std::string text(const char* name) const {
        Text text{};
        return ask(name, text.data(), last(text)) == success ? text::one_line(text.data(), 100)
                                                             : "";
    }
    std::string text(const char* name, Device gpu) const {
        Text text{};
        return ask(name, gpu, text.data(), last(text)) == success ? text::one_line(text.data(), 100)
                                                                  : "";
    }
    /// A value that the function writes behind its other arguments.
    template <class Value, class... Arguments>
    std::optional<Value> value(const char* name, Device gpu, Arguments... arguments) const {
        Value value{};
        if (ask(name, gpu, arguments..., &value) != success) return std::nullopt;
        return value;
    }

    const std::string& absence() const { return absence_; }

  private:
    /// So that even a text without an end has one.
    static unsigned last(const Text& text) { return static_cast<unsigned>(text.size() - 1); }

    std::string error_text(int status) const {
        if (void* const symbol = ::dlsym(library_, "nvmlErrorString")) {
            const char* const text = reinterpret_cast<const char* (*)(int)>(symbol)(status);
            if (text != nullptr) return text::one_line(text, 100);
        }
        return fmt::format("error {}", status);
    }

    void* library_;
    std::string absence_;
};

template <class Value>
std::string digits_of(const std::optional<Value>& value) {
    return value ? std::to_string(*value) : "";
}

std::string watts_of(const std::optional<unsigned>& milliwatts) {
    return milliwatts ? fmt::format("{:.2f}", *milliwatts / 1000.0) : "";
}

/// The word of a mode; nothing for one that is not known.
template <std::size_t Count>
std::string word_of(const std::optional<int>& mode, const std::array<const char*, Count>& words) {
    const bool is_known = mode && *mode >= 0 && *mode < static_cast<int>(Count);
    return is_known ? words[static_cast<std::size_t>(*mode)] : "";
}

/// What stays as it is while a job runs, then what moves; empty: it does not say.
GpuValues ask_all(const Nvml& nvml, Device gpu) {
    constexpr std::array persistence{"Disabled", "Enabled"};
    constexpr std::array compute{"Default", "Exclusive_Thread", "Prohibited", "Exclusive_Process"};
    const auto number = [&](const char* name, auto... arguments) {
        return nvml.value<unsigned>(name, gpu, arguments...);
    };
    const auto mode = [&](const char* name) { return nvml.value<int>(name, gpu); };
    const auto memory = nvml.value<Memory>("nvmlDeviceGetMemoryInfo", gpu);
    const auto use = nvml.value<Utilization>("nvmlDeviceGetUtilizationRates", gpu);
    const auto reasons =
        nvml.value<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons", gpu);
    return {
        {"name", nvml.text("nvmlDeviceGetName", gpu)},
        {"driver_version", nvml.text("nvmlSystemGetDriverVersion")},
        {"vbios_version", nvml.text("nvmlDeviceGetVbiosVersion", gpu)},
        {"memory.total", memory ? std::to_string(memory->total_bytes >> 20) : ""},
        {"persistence_mode", word_of(mode("nvmlDeviceGetPersistenceMode"), persistence)},
        {"compute_mode", word_of(mode("nvmlDeviceGetComputeMode"), compute)},
        {"clocks.applications.graphics",
         digits_of(number("nvmlDeviceGetApplicationsClock", int{graphics_clock}))},
        {"clocks.max.graphics",
         digits_of(number("nvmlDeviceGetMaxClockInfo", int{graphics_clock}))},
        {"power.limit", watts_of(number("nvmlDeviceGetPowerManagementLimit"))},
        {"temperature.gpu", digits_of(number("nvmlDeviceGetTemperature", int{gpu_sensor}))},
        {"clocks.sm", digits_of(number("nvmlDeviceGetClockInfo", int{sm_clock}))},
        {"clocks.mem", digits_of(number("nvmlDeviceGetClockInfo", int{memory_clock}))},
        {"power.draw", watts_of(number("nvmlDeviceGetPowerUsage"))},
        {"utilization.gpu", use ? std::to_string(use->gpu_percent) : ""},
        {"clocks_throttle_reasons.active", reasons ? fmt::format("{:#018x}", *reasons) : ""}};
}

}  // namespace

GpuList ask_nvml(const std::string& library) {
    const Nvml nvml(library);
    GpuList list;
    list.absence = nvml.absence();
    if (!list.absence.empty()) return list;
    unsigned count = 0;
    if (nvml.ask("nvmlDeviceGetCount_v2", &count) != success) {
        list.absence = "the driver's library does not count GPUs";
        return list;
    }
    for (unsigned i = 0; i < std::min(count, most_gpus); ++i) {
        Device gpu = nullptr;
        GpuValues values;
        if (nvml.ask("nvmlDeviceGetHandleByIndex_v2", i, &gpu) == success) {
            values = ask_all(nvml, gpu);
            std::erase_if(values, [](const auto& value) { return value.second.empty(); });
        }
        list.gpus.push_back(std::move(values));
    }
    if (list.gpus.empty()) list.absence = "the driver sees no GPU";
    return list;
}

}  // namespace vigil::worker
