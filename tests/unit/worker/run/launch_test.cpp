#include "worker/run/launch.hpp"

#include <fstream>

#include <catch2/catch.hpp>
#include <fmt/core.h>

#include "schema/model/error.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::worker;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

void write_file(const fs::path& file, const std::string& content) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << content;
}

/// Two sockets of two cores with two threads each, a memory node a socket: processors 0 to 3 are
/// the first threads, 4 to 7 the second ones; 0, 1, 4 and 5 are of socket 0.
struct TwoSockets {
    test::ScratchFolder folder;
    std::vector<int> own{0, 1, 2, 3, 4, 5, 6, 7};

    TwoSockets() {
        const auto system = root() / "sys/devices/system";
        write_file(system / "node/online", "0-1\n");
        for (const int processor : own) {
            const int core = processor % 4;
            const int socket = core / 2;
            const auto cpu = system / fmt::format("cpu/cpu{}", processor);
            write_file(cpu / "topology/physical_package_id", fmt::format("{}\n", socket));
            write_file(
                cpu / "topology/thread_siblings_list", fmt::format("{},{}\n", core, core + 4));
            fs::create_directories(cpu / fmt::format("node{}", socket));
        }
    }
    fs::path root() const { return folder.path(); }
    void install(const std::string& library) const {
        write_file(root() / "usr/lib/x86_64-linux-gnu" / library, "");
    }
    AppliedLaunch apply(const Launch& launch) const { return apply_launch(launch, own, root()); }
    std::string refusal(const Launch& launch) const {
        try {
            apply(launch);
        } catch (const Error& error) {
            return error.what();
        }
        return "none";
    }
};

Launch profile(LaunchProfile which) {
    Launch launch;
    launch.profile = which;
    return launch;
}

}  // namespace

TEST_CASE("A launch that says nothing changes nothing", "[worker][run]") {
    const TwoSockets machine;
    const auto applied = machine.apply({});
    CHECK(applied == AppliedLaunch{});
    CHECK(words_of(applied).empty());
}

TEST_CASE("The profiles are the published dashboard's two ways", "[worker][run]") {
    TwoSockets machine;
    machine.install("libjemalloc.so.2");
    const auto core = machine.apply(profile(LaunchProfile::xeon_core));
    CHECK(core.processors == std::vector<int>{0});
    CHECK(core.variables.at("OMP_NUM_THREADS") == "1");
    CHECK(core.variables.at("KMP_AFFINITY") == "granularity=fine,compact,1,0");
    CHECK(core.variables.at("KMP_BLOCKTIME") == "1");
    CHECK(core.variables.at("LD_PRELOAD") == "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2");
    CHECK_THAT(core.variables.at("MALLOC_CONF"), Contains("dirty_decay_ms:-1"));

    machine.install("libiomp5.so");
    const auto socket = machine.apply(profile(LaunchProfile::xeon_socket));
    CHECK(socket.processors == std::vector<int>{0, 1});
    CHECK(socket.variables.at("OMP_NUM_THREADS") == "2");
    CHECK(
        socket.variables.at("LD_PRELOAD") ==
        "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2:/usr/lib/x86_64-linux-gnu/libiomp5.so");
    CHECK(socket.numa_memory == 0);

    machine.own = {2, 3, 6};  // all that this worker has
    const auto second = machine.apply(profile(LaunchProfile::xeon_socket));
    CHECK(second.processors == std::vector<int>{2, 3});
    CHECK(second.numa_memory == 1);
    machine.own = {6, 7};
    CHECK(machine.apply(profile(LaunchProfile::xeon_socket)).processors == std::vector<int>{6, 7});
}

TEST_CASE("All that a machine lacks is named with what to install", "[worker][run]") {
    const TwoSockets machine;
    Launch launch;
    launch.cores = "6-9";
    launch.numa_memory = 2;
    launch.allocator = Allocator::tcmalloc;
    launch.openmp.library = OpenMpLibrary::intel;
    CHECK_THAT(
        machine.refusal(launch),
        Contains("no core 8-9; it may use 0-7") && Contains("no memory node 2") &&
            Contains("apt-get install libtcmalloc-minimal4") &&
            Contains("apt-get install libomp5"));
    CHECK_THAT(
        machine.refusal(profile(LaunchProfile::xeon_core)),
        Contains("jemalloc is not installed: apt-get install libjemalloc2"));
}

TEST_CASE("Where there is one memory node nothing is bound to it", "[worker][run]") {
    const test::ScratchFolder empty;
    Launch launch;
    launch.numa_memory = 0;
    CHECK_FALSE(apply_launch(launch, {0}, empty.path()).numa_memory);
    launch.numa_memory = 1;
    CHECK_THROWS_AS(apply_launch(launch, {0}, empty.path()), Error);
}
