#include "worker/run/share.hpp"

#include <fstream>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::worker;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

using Files = std::vector<std::string>;

void put_file(const fs::path& file, const std::string& content) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << content;
}

/// Two NVIDIA cards whose minors are not their order on the bus, as their driver tells of them.
void add_nvidia(const fs::path& root) {
    const auto add = [&](const std::string& address, const std::string& id, int minor) {
        put_file(
            root / "proc/driver/nvidia/gpus" / address / "information",
            "Model: \t\t NVIDIA H100\nIRQ:   \t\t 18\nGPU UUID: \t " + id + "\nDevice Minor: \t " +
                std::to_string(minor) + "\n");
    };
    add("0000:41:00.0", "GPU-4b", 0);
    add("0000:01:00.0", "GPU-0a", 1);
    for (const auto* file : {"nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm"}) {
        put_file(root / "dev" / file, "");
    }
}

/// Two AMD cards, and a processor, which is a node of the same topology.
void add_amd(const fs::path& root) {
    const auto nodes = root / "sys/class/kfd/kfd/topology/nodes";
    put_file(nodes / "0/properties", "cpu_cores_count 64\ndrm_render_minor 0\nunique_id 0\n");
    put_file(nodes / "2/properties", "simd_count 256\nunique_id 255\ndrm_render_minor 128\n");
    put_file(nodes / "10/properties", "simd_count 256\nunique_id 4096\ndrm_render_minor 129\n");
    for (const auto* file : {"kfd", "dri/renderD128", "dri/renderD129", "dri/card0"}) {
        put_file(root / "dev" / file, "");
    }
}

}  // namespace

TEST_CASE("NVIDIA's GPUs are counted in the order of the bus", "[worker][run]") {
    const test::ScratchFolder root;
    add_nvidia(root.path());
    const auto all = list_gpu_devices(root.path());
    REQUIRE(all.size() == 2);
    CHECK(all[0] == GpuDevice{GpuMaker::nvidia, 0, "GPU-0a", "nvidia1"});
    CHECK(all[1] == GpuDevice{GpuMaker::nvidia, 1, "GPU-4b", "nvidia0"});
    CHECK(choose_gpus({"1"}, all) == choose_gpus({"GPU-4b", "1"}, all));
    CHECK_THROWS_WITH(
        choose_gpus({"2"}, all), Contains("names 2") && Contains("it has 0 (GPU-0a), 1 (GPU-4b)"));
    CHECK_THROWS_WITH(choose_gpus({"0"}, {}), Contains("it has none"));
}

TEST_CASE("A worker's jobs see its own GPUs and no others", "[worker][run]") {
    const test::ScratchFolder root;
    add_nvidia(root.path());
    const auto dev = root.path() / "dev";
    const auto all = list_gpu_devices(root.path());
    CHECK(gpu_files({}, dev) == Files{"nvidia-uvm", "nvidia0", "nvidia1", "nvidiactl"});
    const auto second = choose_gpus({"1"}, all);
    CHECK(gpu_files(second, dev) == Files{"nvidia-uvm", "nvidia0", "nvidiactl"});
    CHECK(gpu_files(GpuDevices{}, dev).empty());
    CHECK(gpu_variables(second) == EnvironmentVariables{{"CUDA_VISIBLE_DEVICES", "GPU-4b"}});
    CHECK(gpu_variables({}) == EnvironmentVariables{{"CUDA_VISIBLE_DEVICES", ""}});
    CHECK(gpu_files({}, root.path() / "none").empty());
}

TEST_CASE("AMD's GPUs are those of the driver's topology", "[worker][run]") {
    const test::ScratchFolder root;
    add_amd(root.path());
    const auto dev = root.path() / "dev";
    const auto all = list_gpu_devices(root.path());
    REQUIRE(all.size() == 2);
    CHECK(all[0] == GpuDevice{GpuMaker::amd, 0, "GPU-00000000000000ff", "dri/renderD128"});
    CHECK(gpu_files({}, dev) == Files{"kfd", "dri/renderD128", "dri/renderD129"});
    const auto second = choose_gpus({"1"}, all);
    CHECK(gpu_files(second, dev) == Files{"kfd", "dri/renderD129"});
    CHECK(
        gpu_variables(second) ==
        EnvironmentVariables{{"ROCR_VISIBLE_DEVICES", "GPU-0000000000001000"}});
}

TEST_CASE("A share says what is not all of the machine", "[worker][run]") {
    CHECK(facts_of({}).empty());
    const MachineShare share{
        {0, 1, 2, 5}, 1, GpuDevices{{GpuMaker::nvidia, 3, "GPU-x", "nvidia3"}}};
    const auto facts = facts_of(share);
    CHECK(facts.at("worker_cores") == "0-2,5");
    CHECK(facts.at("worker_memory_node") == "1");
    CHECK(facts.at("worker_gpus") == "3 (GPU-x)");
    CHECK_THROWS_WITH(keep_to({{1023}, {}, {}}), Contains("no core 1023"));
}
