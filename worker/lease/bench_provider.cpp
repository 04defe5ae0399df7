#include "worker/lease/bench_provider.hpp"

#include <algorithm>
#include <vector>

#include <spdlog/spdlog.h>

#include "schema/archive/archive.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "worker/lease/build.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t compile_limit_s = 1200;

/// Where a product's own LibTorch is, relative to it; empty: it carries none.
std::string find_torch(const fs::path& product) {
    const std::string config = "share/cmake/Torch/TorchConfig.cmake";
    for (const std::string folder : {"", "libtorch", "torch", "lib/libtorch", "lib/torch"}) {
        if (fs::exists(product / folder / config)) return folder.empty() ? "." : folder;
    }
    return "";
}

/// Names and contents of the source's files.
Digest digest_of_source(const fs::path& source) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(source)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    wire::Sha256 sum;
    for (const auto& file : files) {
        sum.update(file.filename().string() + ' ' + wire::sha256_file(file).str() + '\n');
    }
    return sum.finish();
}

Recipe recipe_for(const std::string& torch) {
    Recipe recipe;
    Command configure{"cmake", "-S", "worker/bench", "-B", "out", "-DCMAKE_BUILD_TYPE=Release"};
    if (!torch.empty()) {
        configure.push_back("-DCMAKE_PREFIX_PATH=/vigil/product/" + torch);
    }
    recipe.commands = {configure, {"cmake", "--build", "out", "--parallel", "2"}};
    recipe.outputs = {"out/vigil-bench"};
    recipe.limits.wall_time_s = compile_limit_s;
    return recipe;
}

}  // namespace

BenchProvider::BenchProvider(
    Runner& runner, fs::path source, fs::path cache, fs::path work, std::string toolchain)
    : runner_(runner),
      source_(std::move(source)),
      cache_(std::move(cache)),
      work_(std::move(work)),
      toolchain_(std::move(toolchain)) {}

BenchProgram BenchProvider::provide(
    const fs::path& product,
    const Digest& digest,
    const fs::path& ccache,
    const std::atomic<bool>& stop) {
    if (source_.empty() || !fs::exists(source_ / "CMakeLists.txt")) {
        throw Error(
            Errc::unavailable,
            "looking for vigil-bench: there is no source at \"" + source_.string() +
                "\"; set bench_source in the worker's config");
    }
    const auto torch = find_torch(product);
    const auto key = wire::sha256(
        digest_of_source(source_).str() + '\n' + toolchain_ + '\n' +
        (torch.empty() ? "of the machine" : digest.str()));
    const auto target = cache_ / key.str();
    if (fs::exists(target / "vigil-bench")) return {target, "", ""};
    return compile(target, product, torch, ccache, stop);
}

BenchProgram BenchProvider::compile(
    const fs::path& target,
    const fs::path& product,
    const std::string& torch,
    const fs::path& ccache,
    const std::atomic<bool>& stop) {
    spdlog::info("event=bench_compile_begins torch=\"{}\"", torch.empty() ? "system" : torch);
    const auto tree = work_ / "tree";
    make_fresh(tree);
    fs::create_directories(tree / "worker");
    fs::copy(source_, tree / "worker/bench", fs::copy_options::recursive);
    BuildPlace place{tree, work_ / "scratch", ccache, work_ / "bench.tar"};
    std::vector<Mount> mounts;
    if (!torch.empty()) mounts.push_back({product, "/vigil/product", Access::read_only});
    const auto built = build_product(runner_, recipe_for(torch), place, stop, mounts);
    BenchProgram program{{}, built.message, built.log};
    if (built.built) {
        const auto unpacked = work_ / "bench";
        fs::remove_all(unpacked);
        archive::unpack(place.product, unpacked);
        fs::create_directories(cache_);
        fs::remove_all(target);
        fs::rename(unpacked / "out", target);
        program.folder = target;
    }
    fs::remove_all(work_);
    if (!built.built && torch.empty()) {
        throw Error(
            Errc::unavailable,
            "compiling vigil-bench against this machine's LibTorch: " + program.message);
    }
    return program;
}

}  // namespace vigil::worker
