#include "worker/lease/bench_provider.hpp"

#include <algorithm>
#include <optional>

#include <catch2/catch.hpp>

#include "schema/wire/digest.hpp"
#include "tests/integration/worker/lease/worker_fixture.hpp"

using namespace vigil;
using namespace vigil::worker;
using test::ScratchFolder;
namespace fs = std::filesystem;

namespace {

/// Compiles nothing: notes the commands, and leaves a file where the program should be.
class NotingRunner final : public Runner {
  public:
    RunReport run(const RunRequest& request) override {
        commands.push_back(request.command);
        for (const auto& mount : request.mounts) {
            if (mount.to == "/vigil/ccache") cache_access = mount.access;
        }
        test::write_file(request.folder / "out/vigil-bench", "a program");
        RunReport report;
        report.end = RunEnd::exited;
        report.exit_code = 0;
        return report;
    }
    bool sandboxed() const override { return false; }
    std::map<std::string, std::string> facts() const override { return {}; }

    std::vector<Command> commands;
    std::optional<MountAccess> cache_access;
};

/// A provider on a small source with one model in its zoo.
struct Bench {
    Bench() {
        test::write_file(source / "CMakeLists.txt", "project(vigil_bench)\n");
        test::write_file(source / "zoo/blocks/layers.cpp", "\n");
        test::write_file(source / "zoo/vision/lenet.cpp", "\n");
        test::write_file(
            source / "arguments/paper_names.inc",
            "PAPER(Le_Net, lenet, 61706, \"\")\nPAPER(Other, , 0, \"not written\")\n"
            "TAKEN(mlp, lenet, 0, \"another\")\n");
        fs::create_directories(folder.path() / "product");
    }

    fs::path provide(const BenchModels& models) {
        return provider
            .provide(folder.path() / "product", wire::sha256("product"), models, ccache, stop)
            .folder;
    }

    ScratchFolder folder;
    fs::path source = folder.path() / "source";
    NotingRunner runner;
    BuildCache ccache;
    std::atomic<bool> stop = false;
    BenchProvider provider{
        runner, source, folder.path() / "cache", folder.path() / "work", "one toolchain"};
};

bool names(const std::vector<Command>& commands, const std::string& word) {
    return std::any_of(commands.begin(), commands.end(), [&](const Command& command) {
        return std::count(command.begin(), command.end(), word) > 0;
    });
}

}  // namespace

TEST_CASE("Only a model that lies in the zoo asks for the zoo", "[worker][lease]") {
    const Bench bench;
    const auto models = [&](const Command& command) { return bench.provider.models_for(command); };
    const BenchModels lenet{"lenet"};
    CHECK(models({"--model", "lenet"}) == lenet);
    CHECK(models({"--mode", "train", "--model=lenet"}) == lenet);
    CHECK(models({"--model", "mlp,lenet"}) == lenet);
    CHECK(models({"--model", "Le_Net"}) == lenet);
    for (const auto* name :
         {"mlp", "layers", "vision/lenet", "../vision/lenet", "", "lenet.cpp", "Le", "Other"}) {
        CAPTURE(name);
        CHECK(models({"--model", name}).empty());
    }
    CHECK(models({"--model"}).empty());
    CHECK(models({"--seed", "lenet"}).empty());
    CHECK(models({}).empty());
}

TEST_CASE("Links that lead nowhere in a product are no LibTorch", "[worker][lease][hostile]") {
    Bench bench;
    fs::create_symlink("torch", bench.folder.path() / "product/torch");
    fs::create_symlink("share", bench.folder.path() / "product/share");
    const auto program = bench.provide({});
    CHECK(fs::exists(program / "vigil-bench"));
    CHECK_FALSE(names(bench.runner.commands, "-DCMAKE_PREFIX_PATH=/vigil/product/torch"));
    // Nor is what such a product left for the program.
    fs::remove(program / "vigil-bench");
    fs::create_symlink("vigil-bench", program / "vigil-bench");
    CHECK(bench.provide({}) == program);
    CHECK(fs::is_regular_file(program / "vigil-bench"));
}

TEST_CASE("Only what this machine's LibTorch compiles adds to the compiler's cache", "[worker]") {
    Bench bench;
    bench.ccache.folder = bench.folder.path() / "ccache";
    const auto access = [&](CacheWriters writers, bool has_torch) {
        const auto torch = bench.folder.path() / "product/torch";
        fs::remove_all(torch);
        if (has_torch) test::write_file(torch / "share/cmake/Torch/TorchConfig.cmake", "\n");
        bench.ccache.writers = writers;
        fs::remove_all(bench.folder.path() / "cache");
        bench.provide({});
        return bench.runner.cache_access;
    };
    CHECK(access(CacheWriters::none, false) == MountAccess::read_only);
    CHECK(access(CacheWriters::nightly, false) == MountAccess::writable);
    CHECK(access(CacheWriters::all, false) == MountAccess::writable);
    CHECK(access(CacheWriters::all, true) == MountAccess::read_only);
}

TEST_CASE("Each list of models is a program of its own, compiled once", "[worker][lease]") {
    Bench bench;
    const auto core = bench.provide({});
    CHECK_FALSE(names(bench.runner.commands, "-DVIGIL_BENCH_ZOO=lenet"));
    const auto one = bench.provide({"lenet"});
    CHECK(names(bench.runner.commands, "-DVIGIL_BENCH_ZOO=lenet"));
    const auto two = bench.provide({"lenet", "alexnet"});
    CHECK(names(bench.runner.commands, "-DVIGIL_BENCH_ZOO=alexnet;lenet"));
    CHECK(std::set<fs::path>{core, one, two}.size() == 3);
    for (const auto& program : {core, one, two}) CHECK(fs::exists(program / "vigil-bench"));
    const auto count = bench.runner.commands.size();
    CHECK(bench.provide({}) == core);
    CHECK(bench.provide({"lenet"}) == one);
    CHECK(bench.provide({"alexnet", "lenet"}) == two);
    CHECK(bench.runner.commands.size() == count);
}

TEST_CASE("A program that has more models than are asked for is taken", "[worker][lease]") {
    Bench bench;
    const auto two = bench.provide({"lenet", "alexnet"});
    const auto count = bench.runner.commands.size();
    CHECK(bench.provide({"alexnet"}) == two);
    CHECK(bench.runner.commands.size() == count);
    CHECK(bench.provide({"alexnet", "vgg"}) != two);
    fs::remove(two / "vigil-bench");
    bench.provide({"lenet"});
    CHECK(names(bench.runner.commands, "-DVIGIL_BENCH_ZOO=lenet"));
}

TEST_CASE("A new model changes the programs with the zoo only", "[worker][lease]") {
    Bench bench;
    const auto core = bench.provide({});
    const auto lenet = bench.provide({"lenet"});
    test::write_file(bench.source / "zoo/vision/alexnet.cpp", "\n");
    CHECK(bench.provide({}) == core);
    CHECK(bench.provide({"lenet"}) != lenet);
    CHECK(bench.provider.models_for({"--model", "alexnet"}) == BenchModels{"alexnet"});
}
