#include "worker/lease/bench_provider.hpp"

#include <algorithm>
#include <vector>

#include "schema/archive/archive.hpp"
#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "worker/lease/build.hpp"
#include "worker/run/fresh_folder.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t compile_limit_s = 1200;

/// Where a product's own LibTorch is, relative to it; empty: it carries none.
std::string find_torch(const fs::path& product) {
    const std::string config = "share/cmake/Torch/TorchConfig.cmake";
    std::error_code ignored;  // a product may hold links that lead nowhere
    for (const std::string folder : {"", "libtorch", "torch", "lib/libtorch", "lib/torch"}) {
        if (fs::exists(product / folder / config, ignored)) return folder.empty() ? "." : folder;
    }
    return "";
}

constexpr const char* zoo_folder = "zoo";

/// Names and contents of the source's files, as far as these parts are made of them.
Digest digest_of_source(const fs::path& source, BenchParts parts) {
    std::vector<fs::path> files;
    for (fs::recursive_directory_iterator walk(source), end; walk != end; ++walk) {
        if (parts == BenchParts::core && walk.depth() == 0 &&
            walk->path().filename() == zoo_folder) {
            walk.disable_recursion_pending();
        }
        if (walk->is_regular_file()) files.push_back(walk->path());
    }
    std::sort(files.begin(), files.end());
    wire::Sha256 sum;
    for (const auto& file : files) {
        sum.update(
            file.lexically_relative(source).string() + ' ' + wire::sha256_file(file).str() + '\n');
    }
    return sum.finish();
}

/// The value of --model; empty: there is none.
std::string model_of(const Command& arguments) {
    const std::string option = "--model";
    std::string model;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == option && i + 1 < arguments.size()) model = arguments[++i];
        if (arguments[i].starts_with(option + "=")) model = arguments[i].substr(option.size() + 1);
    }
    return model;
}

Recipe recipe_for(const std::string& torch, BenchParts parts) {
    Recipe recipe;
    Command configure{"cmake", "-S", "worker/bench", "-B", "out", "-DCMAKE_BUILD_TYPE=Release"};
    if (parts == BenchParts::with_zoo) configure.push_back("-DVIGIL_BENCH_ZOO=ON");
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

BenchParts BenchProvider::parts_for(const Command& arguments) const {
    const auto model = model_of(arguments);
    const auto zoo = source_ / zoo_folder;
    if (model.empty() || source_.empty() || !fs::is_directory(zoo)) return BenchParts::core;
    for (const auto& entry : fs::recursive_directory_iterator(zoo)) {
        const auto& path = entry.path();
        const bool of_domain = path.parent_path().parent_path() == zoo;
        if (of_domain && path.parent_path().filename() != "blocks" &&
            path.filename() == model + ".cpp") {
            return BenchParts::with_zoo;
        }
    }
    return BenchParts::core;
}

BenchProgram BenchProvider::provide(
    const fs::path& product,
    const Digest& digest,
    BenchParts parts,
    const BuildCache& ccache,
    const std::atomic<bool>& stop) {
    if (source_.empty() || !fs::exists(source_ / "CMakeLists.txt")) {
        throw Error(
            Errc::unavailable,
            "looking for vigil-bench: there is no source at \"" + source_.string() +
                "\"; set bench_source in the worker's config");
    }
    const auto torch = find_torch(product);
    const auto key = wire::sha256(
        digest_of_source(source_, parts).str() + '\n' + toolchain_ + '\n' +
        (parts == BenchParts::with_zoo ? "with the zoo\n" : "") +
        (torch.empty() ? "of the machine" : digest.str()));
    const auto target = cache_ / key.str();
    std::error_code ignored;  // what a product's LibTorch had made of it may be such a link
    if (fs::exists(target / "vigil-bench", ignored)) return {target, "", ""};
    return compile(target, product, torch, parts, ccache, stop);
}

BenchProgram BenchProvider::compile(
    const fs::path& target,
    const fs::path& product,
    const std::string& torch,
    BenchParts parts,
    const BuildCache& ccache,
    const std::atomic<bool>& stop) {
    log_info(
        "bench.compiling",
        {{"torch", torch.empty() ? "system" : torch}, {"zoo", parts == BenchParts::with_zoo}});
    const auto tree = work_ / "tree";
    make_fresh(tree);
    fs::create_directories(tree / "worker");
    fs::copy(source_, tree / "worker/bench", fs::copy_options::recursive);
    // What a product's LibTorch has the compiler do may not reach other builds: it only reads.
    const BuildPlace place{
        tree,
        work_ / "scratch",
        ccache.folder,
        work_ / "bench.tar",
        torch.empty() ? ccache.access_for_own() : MountAccess::read_only};
    std::vector<Mount> mounts;
    if (!torch.empty()) mounts.push_back({product, "/vigil/product", MountAccess::read_only});
    const auto built = build_product(runner_, recipe_for(torch, parts), place, stop, mounts);
    BenchProgram program{{}, built.message, built.log};
    if (built.built) {
        const auto unpacked = work_ / "bench";
        clear_away(unpacked);
        archive::unpack(place.product, unpacked);
        fs::create_directories(cache_);
        clear_away(target);
        fs::rename(unpacked / "out", target);
        program.folder = target;
    }
    clear_away(work_);
    if (!built.built && torch.empty()) {
        throw Error(
            Errc::unavailable,
            "compiling vigil-bench against this machine's LibTorch: " + program.message);
    }
    return program;
}

}  // namespace vigil::worker
