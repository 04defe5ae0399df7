#include "worker/lease/provide_bench.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <sstream>
#include <unistd.h>
#include <vector>

#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "worker/lease/bench_provider.hpp"
#include "worker/machine/toolchain.hpp"
#include "worker/run/process_runner.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t told_log_bytes = 4000;

bool on_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (!folder.empty() && ::access((fs::path(folder) / program).c_str(), X_OK) == 0)
            return true;
    }
    return false;
}

/// Tells one state of a product from another without reading gigabytes.
Digest digest_of_files(const fs::path& product) {
    std::vector<std::string> lines{product.string() + "\n"};
    for (const auto& entry : fs::recursive_directory_iterator(product)) {
        if (!entry.is_regular_file()) continue;
        lines.push_back(
            entry.path().lexically_relative(product).string() + ' ' +
            std::to_string(entry.file_size()) + ' ' +
            std::to_string(entry.last_write_time().time_since_epoch().count()) + '\n');
    }
    std::sort(lines.begin(), lines.end());
    wire::Sha256 sum;
    for (const auto& line : lines) sum.update(line);
    return sum.finish();
}

/// A folder of this process's own, gone with it.
class WorkFolder {
  public:
    explicit WorkFolder(const fs::path& state)
        : path_(state / ("bench-work-" + std::to_string(::getpid()))) {
        fs::create_directories(path_);
    }
    ~WorkFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

}  // namespace

std::string missing_for_bench(const fs::path& source) {
    if (source.empty() || !fs::exists(source / "CMakeLists.txt")) {
        return "the source of vigil-bench is not beside this program; use the vigil-worker of an "
               "installation (cmake --install), or of a build folder in the source";
    }
    for (const char* program : {"cmake", "make", "c++"}) {
        if (!on_path(program)) {
            return std::string(program) +
                   " is missing; run: apt-get install cmake make g++ "
                   "nlohmann-json3-dev";
        }
    }
    return "";
}

bool has_torch() {
    std::error_code ignored;
    std::vector<fs::path> folders{"/usr/share/cmake", "/usr/local/share/cmake"};
    for (const auto& entry : fs::directory_iterator("/usr/lib", ignored)) {
        folders.push_back(entry.path() / "cmake");
    }
    return std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
        return fs::exists(folder / "Torch/TorchConfig.cmake", ignored);
    });
}

fs::path provide_bench(
    const fs::path& product,
    const Command& arguments,
    const fs::path& source,
    const fs::path& state,
    std::ostream& progress) {
    if (const auto missing = missing_for_bench(source); !missing.empty()) {
        throw Error(Errc::unavailable, "compiling vigil-bench: " + missing);
    }
    ProcessRunner runner({});
    const WorkFolder work(state);
    BenchProvider provider(
        runner, source, state / "bench", work.path() / "bench", toolchain_text());
    progress << "vigil-worker: providing vigil-bench for " << product.string()
             << "; the first time for a LibTorch takes minutes\n"
             << std::flush;
    const std::atomic<bool> stop = false;
    const auto program = provider.provide(
        product, digest_of_files(product), provider.models_for(arguments), {}, stop);
    if (program.folder.empty()) {
        const auto from = program.log.size() - std::min(program.log.size(), told_log_bytes);
        progress << program.log.substr(from) << std::flush;
        throw Error(
            Errc::unavailable,
            "vigil-bench does not compile against the LibTorch of " + product.string() + ": " +
                program.message);
    }
    return program.folder / bench_program_name;
}

}  // namespace vigil::worker
