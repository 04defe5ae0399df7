#include "worker/machine/nvml.hpp"

#include <cstdlib>

#include <catch2/catch.hpp>

#include "worker/machine/machine_check.hpp"

using namespace vigil;
using namespace vigil::worker;

namespace {

class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
    ~Variable() { ::unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    const char* name_;
};

CheckFinding finding_of(const GpuValues& values, const std::string& check) {
    MachineSnapshot snapshot;
    snapshot.gpus = {gpu_state(values)};
    for (const auto& one : check_machine(snapshot)) {
        if (one.name == check) return one.finding;
    }
    throw std::logic_error("there is no check " + check);
}

}  // namespace

TEST_CASE("The driver's library tells of every GPU in nvidia-smi's words", "[worker][run]") {
    const auto list = ask_nvml(FAKE_NVML);
    CHECK(list.absence.empty());
    REQUIRE(list.gpus.size() == 2);
    auto values = list.gpus[1];
    CHECK(values["vbios_version"] == std::string(100, 'x') + "...");
    values.erase("vbios_version");
    CHECK(
        values == GpuValues{
                      {"name", "NVIDIA Fake 100"},
                      {"driver_version", "550.54"},
                      {"memory.total", "81920"},
                      {"persistence_mode", "Enabled"},
                      {"clocks.applications.graphics", "1200"},
                      {"clocks.max.graphics", "1980"},
                      {"power.limit", "700.00"},
                      {"temperature.gpu", "34"},
                      {"clocks.sm", "1155"},
                      {"clocks.mem", "2619"},
                      {"power.draw", "68.42"},
                      {"utilization.gpu", "3"},
                      {"clocks_throttle_reasons.active", "0x0000000000000004"}});
    CHECK(finding_of(values, "gpu0 persistence") == CheckFinding::pass);
    CHECK(finding_of(values, "gpu0 clocks") == CheckFinding::warn);
    values["clocks_throttle_reasons.active"] = "0x0000000000000001";
    CHECK(finding_of(values, "gpu0 clocks") == CheckFinding::pass);
}

TEST_CASE("A library without some functions costs their values only", "[worker][run]") {
    const auto list = ask_nvml(OLD_NVML);
    REQUIRE(list.gpus.size() == 2);
    CHECK(list.gpus[0].count("temperature.gpu") == 0);
    CHECK(list.gpus[0].count("clocks_throttle_reasons.active") == 0);
    CHECK(list.gpus[0].at("clocks.sm") == "1155");
    const Variable refuses("FAKE_NVML_INIT", "9");
    CHECK(ask_nvml(OLD_NVML).absence == "the driver's library refuses: error 9");
}

TEST_CASE("Why there is no GPU is told apart", "[worker][run]") {
    CHECK(ask_nvml("libnvidia-ml-not-there.so").absence.find("is not there") != std::string::npos);
    CHECK(ask_nvml("libm.so.6").absence.find("has no nvmlInit_v2") != std::string::npos);
    {
        const Variable refuses("FAKE_NVML_INIT", "9");
        CHECK(ask_nvml(FAKE_NVML).absence == "the driver's library refuses: Driver Not Loaded");
    }
    const Variable none("FAKE_NVML_GPUS", "0");
    CHECK(ask_nvml(FAKE_NVML).absence == "the driver sees no GPU");
    CHECK(ask_nvml(FAKE_NVML).gpus.empty());
}

TEST_CASE("A GPU that answers nothing but errors is there, and unknown", "[worker][run]") {
    const Variable lost("FAKE_NVML_FAULT", "15");
    const auto list = ask_nvml(FAKE_NVML);
    REQUIRE(list.gpus.size() == 2);
    CHECK(list.gpus[0].empty());
    CHECK(finding_of(list.gpus[0], "gpu0 persistence") == CheckFinding::unknown);
    CHECK(finding_of(list.gpus[0], "gpu0 clocks") == CheckFinding::unknown);
}

TEST_CASE("More GPUs than there can be are cut off", "[worker][run]") {
    const Variable many("FAKE_NVML_GPUS", "-1");
    CHECK(ask_nvml(FAKE_NVML).gpus.size() == 16);
}
