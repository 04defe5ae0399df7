#include "worker/lease/bench_provider.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string_view>
#include <vector>

#include "schema/archive/archive.hpp"
#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/digest.hpp"
#include "worker/lease/build.hpp"
#include "worker/run/fresh_folder.hpp"
#include "worker/run/text_file.hpp"

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
constexpr const char* list_ending = ".models";  ///< of the file that names a program's models

/// Names and contents of the source's files, as far as these parts are made of them.
Digest digest_of_source(const fs::path& source, const BenchModels& models) {
    std::vector<fs::path> files;
    for (fs::recursive_directory_iterator walk(source), end; walk != end; ++walk) {
        if (models.empty() && walk.depth() == 0 && walk->path().filename() == zoo_folder) {
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

/// The values of --model, which a suite separates by commas.
std::vector<std::string> names_of(const Command& arguments) {
    const std::string option = "--model";
    std::string names;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == option && i + 1 < arguments.size()) names = arguments[++i];
        if (arguments[i].starts_with(option + "=")) names = arguments[i].substr(option.size() + 1);
    }
    std::vector<std::string> parts(1);
    for (const char c : names) {
        if (c == ',') parts.emplace_back();
        if (c != ',') parts.back() += c;
    }
    return parts;
}

/// The model that a name of the paper stands for; other names, and those without one, stay.
std::string model_of(const fs::path& source, const std::string& name) {
    std::ifstream rows(source / "arguments/paper_names.inc");
    const std::string start = "PAPER(" + name + ", ";
    for (std::string row; std::getline(rows, row);) {
        if (!row.starts_with(start)) continue;
        const auto model = row.substr(start.size(), row.find(',', start.size()) - start.size());
        if (!model.empty()) return model;
    }
    return name;
}

std::string joined(const BenchModels& models, const char* between) {
    std::string text;
    for (const auto& model : models) text += (text.empty() ? "" : between) + model;
    return text;
}

fs::path list_of(const fs::path& program) {
    return program.string() + list_ending;
}

Recipe recipe_for(const std::string& torch, const BenchModels& models) {
    Recipe recipe;
    Command configure{"cmake", "-S", "worker/bench", "-B", "out", "-DCMAKE_BUILD_TYPE=Release"};
    if (!models.empty()) configure.push_back("-DVIGIL_BENCH_ZOO=" + joined(models, ";"));
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

BenchModels BenchProvider::models_for(const Command& arguments) const {
    BenchModels models;
    const auto zoo = source_ / zoo_folder;
    if (source_.empty() || !fs::is_directory(zoo)) return models;
    std::set<std::string> known;
    for (const auto& entry : fs::recursive_directory_iterator(zoo)) {
        const auto& path = entry.path();
        const bool of_domain = path.parent_path().parent_path() == zoo;
        if (of_domain && path.parent_path().filename() != "blocks" && path.extension() == ".cpp") {
            known.insert(path.stem().string());
        }
    }
    for (const auto& name : names_of(arguments)) {
        const auto model = model_of(source_, name);
        if (known.contains(model)) models.insert(model);
    }
    return models;
}

BenchModels BenchProvider::models_for(const JobPlan& plan) const {
    BenchModels models;
    for (const auto& benchmark : plan.benchmarks) {
        if (benchmark.kind == BenchmarkKind::torch) models.merge(models_for(benchmark.command));
    }
    return models;
}

BenchProgram BenchProvider::provide(
    const fs::path& product,
    const Digest& digest,
    const BenchModels& models,
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
        digest_of_source(source_, models).str() + '\n' + toolchain_ + '\n' +
        (torch.empty() ? "of the machine" : digest.str()));
    if (const auto found = find_program(key, models)) return {*found, "", ""};
    const auto name = models.empty() ? "" : '-' + wire::sha256(joined(models, "\n")).str();
    const auto target = cache_ / (key.str() + name);
    return compile(target, product, torch, models, ccache, stop);
}

std::optional<fs::path> BenchProvider::find_program(
    const Digest& key, const BenchModels& models) const {
    std::error_code ignored;  // what a product's LibTorch had made of it may be such a link
    if (models.empty()) {
        const auto target = cache_ / key.str();
        if (fs::exists(target / bench_program_name, ignored)) return target;
        return std::nullopt;
    }
    std::optional<fs::path> best;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (fs::directory_iterator walk(cache_, ignored), end; walk != end; ++walk) {
        const auto list = walk->path();
        if (list.extension() != list_ending || !list.filename().string().starts_with(key.str())) {
            continue;
        }
        const auto target = fs::path(list).replace_extension();
        BenchModels has;
        text::for_each_line(read_text(list), [&](std::string_view model) { has.emplace(model); });
        if (has.size() < fewest && fs::exists(target / bench_program_name, ignored) &&
            std::includes(has.begin(), has.end(), models.begin(), models.end())) {
            fewest = has.size();
            best = target;
        }
    }
    return best;
}

BenchProgram BenchProvider::compile(
    const fs::path& target,
    const fs::path& product,
    const std::string& torch,
    const BenchModels& models,
    const BuildCache& ccache,
    const std::atomic<bool>& stop) {
    log_info(
        "bench.compiling",
        {{"torch", torch.empty() ? "system" : torch}, {"models", joined(models, ",")}});
    const auto tree = work_ / "tree";
    make_fresh(tree);
    fs::create_directories(tree / "worker");
    fs::copy(source_, tree / "worker/bench", fs::copy_options::recursive);
    // What a product's LibTorch has the compiler do may not reach other builds: it only reads.
    const BuildPlace place{
        tree,
        work_ / "scratch",
        ccache,
        work_ / "bench.tar",
        torch.empty() ? ccache.access_for_own() : MountAccess::read_only};
    std::vector<Mount> mounts;
    if (!torch.empty()) mounts.push_back({product, "/vigil/product", MountAccess::read_only});
    const auto built = build_product(runner_, recipe_for(torch, models), place, stop, mounts);
    BenchProgram program{{}, built.message, built.log};
    if (built.built) {
        const auto unpacked = work_ / "bench";
        clear_away(unpacked);
        archive::unpack(place.product, unpacked);
        fs::create_directories(cache_);
        clear_away(target);
        fs::rename(unpacked / "out", target);
        if (!models.empty()) std::ofstream(list_of(target)) << joined(models, "\n") << '\n';
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
