#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <unistd.h>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>

#include "schema/log/log.hpp"
#include "schema/log/service_manager.hpp"
#include "schema/model/error.hpp"
#include "schema/model/version.hpp"
#include "schema/wire/json.hpp"
#include "worker/lease/http_service.hpp"
#include "worker/lease/job_loop.hpp"
#include "worker/lease/provide_bench.hpp"
#include "worker/lease/worker_settings.hpp"
#include "worker/machine/machine.hpp"
#include "worker/machine/machine_check.hpp"
#include "worker/machine/toolchain.hpp"
#include "worker/run/launch.hpp"
#include "worker/run/process_runner.hpp"
#include "worker/run/profile/profiled_run.hpp"
#include "worker/run/turn_runner.hpp"

namespace {

namespace fs = std::filesystem;
using namespace vigil;
using namespace vigil::worker;

constexpr int exit_usage = 2;
constexpr int exit_failed = 1;
constexpr int exit_warned = 3;
constexpr std::int64_t longest_idle_s = 604'800;

constexpr const char* help = R"(vigil-worker: measures builds on this machine for a vigild.

usage: vigil-worker --config FILE [--check-config | --once | --until-idle SECONDS]
       vigil-worker --check-machine [--json]
       vigil-worker --provide-bench [FOLDER [-- ARGUMENTS]]
       vigil-worker --version

  --config FILE   the worker's settings, one JSON object; comments are allowed
  --check-config  print the effective values and end
  --check-machine print the causes of unsteady numbers on this machine, with remedies, and end
  --json          with --check-machine: as JSON
  --provide-bench compile vigil-bench against the LibTorch of a build in FOLDER, or of this
                  machine if it has none, print the program's path, and end; the zoo is
                  compiled if the benchmark's ARGUMENTS need it. Without FOLDER: only check
                  whether it can be compiled here
  --once          run one job if there is one, then end
  --until-idle SECONDS  end once no job came for so long (1 to 604800)
  --version       the version, and end
  --help          this text

the config:
  server           address of the daemon, e.g. "http://127.0.0.1:8321"
  content_from     address of an HTTP cache before it, for content (default: none)
  name             this worker's name in the log
  token_file       file with its token (vigil token add NAME --scope worker), mode 0600
  state_dir        its folder: cache, work, results not yet acknowledged
  ccache_dir       compiler cache that builds read (default: none), a folder or a URL; workers
                   may share it
  ccache_token_file  file with a token that a cache with a URL is shown (default: none)
  ccache_writers   builds that write to it: "none" (default), "nightly" or "all"
  machine_lock     file that the workers of one machine share to take turns (default: none)
  beside           names of workers with this machine_lock that it may run with ([] by default)
  cores            cores that it uses, e.g. "0-15" (default: all)
  memory_node      NUMA node of all its memory (default: any)
  gpus             its GPUs by index or id, e.g. ["0"] (default: all; []: none)
  cache_max_bytes  size limit of the cache (default 20 GiB)
  labels           reported to the daemon, e.g. {"pool": "night"}
  bench_source     folder with vigil-bench's source (default: found beside this program)
  sandbox          "auto" (default), "require" or "off"
  allow_uncontained  true: jobs run even where there is no sandbox (default false)
  read_only_paths  more folders that jobs may read, e.g. ["/opt/libtorch"] ([] by default)
  drain_s          time for the job at hand after SIGTERM (default 1800)
  log_level        debug, info (default), warn or error

signals: the first SIGTERM or SIGINT finishes the job at hand, the second ends it.
exit codes: 0 ended by a signal or option, 1 failed, 2 wrong usage or config, 3 --check-machine warns

examples:
  vigil-worker --config /etc/vigil/vigil-worker.json
  vigil-worker --config worker.json --check-config
  vigil-worker --config worker.json --once
  vigil-worker --check-machine
  vigil-worker --provide-bench out -- --model mlp
)";

struct Arguments {
    fs::path config;
    bool check_config = false;
    bool check_machine = false;
    bool json = false;
    bool once = false;
    std::optional<std::chrono::seconds> until_idle;
    bool provide_bench = false;
    fs::path product;
    Command benchmark;

    bool without_config() const { return check_machine || provide_bench; }
};

std::optional<std::chrono::seconds> parse_idle(const std::string& text) {
    std::int64_t seconds = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
    if (whole && seconds >= 1 && seconds <= longest_idle_s) return std::chrono::seconds(seconds);
    std::cerr << "vigil-worker: --until-idle takes 1 to " << longest_idle_s << " seconds, not \""
              << text << "\"\n";
    return std::nullopt;
}

std::optional<Arguments> parse_arguments(int count, char** values) {
    Arguments arguments;
    for (int i = 1; i < count; ++i) {
        const std::string name = values[i];
        if (name == "--check-config") {
            arguments.check_config = true;
        } else if (name == "--check-machine") {
            arguments.check_machine = true;
        } else if (name == "--json") {
            arguments.json = true;
        } else if (name == "--once") {
            arguments.once = true;
        } else if (name == "--until-idle" && i + 1 < count) {
            arguments.until_idle = parse_idle(values[++i]);
            if (!arguments.until_idle) return std::nullopt;
        } else if (name == "--config" && i + 1 < count) {
            arguments.config = values[++i];
        } else if (name == "--provide-bench") {
            arguments.provide_bench = true;
            if (i + 1 < count && values[i + 1][0] != '-') arguments.product = values[++i];
        } else if (name == "--" && arguments.provide_bench) {
            arguments.benchmark.assign(values + i + 1, values + count);
            break;
        } else {
            std::cerr << "vigil-worker: \"" << name << "\" is not understood; see --help\n";
            return std::nullopt;
        }
    }
    if (arguments.json && !arguments.check_machine) {
        std::cerr << "vigil-worker: --json is for --check-machine; see --help\n";
        return std::nullopt;
    }
    if (arguments.once && arguments.until_idle) {
        std::cerr << "vigil-worker: --once and --until-idle exclude each other\n";
        return std::nullopt;
    }
    if (arguments.config.empty() && !arguments.without_config()) {
        std::cerr << "vigil-worker: --config FILE is missing; see --help\n";
        return std::nullopt;
    }
    return arguments;
}

int check_machine(bool json) {
    const auto checks = check_machine(read_machine_snapshot());
    const auto report = checks_json(checks);
    std::cout << (json ? wire::write_json(report) + "\n" : checks_text(checks)) << std::flush;
    return report.at("warnings") == 0 ? 0 : exit_warned;
}

/// Two workers in one folder would take each other's work apart.
class FolderLock {
  public:
    explicit FolderLock(const fs::path& folder) {
        fs::create_directories(folder);
        const auto file = folder / "lock";
        fd_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd_ < 0 || ::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
            throw Error(
                Errc::conflict,
                "locking " + file.string() +
                    ": another worker uses this state_dir, or it cannot "
                    "be written");
        }
    }
    ~FolderLock() { ::close(fd_); }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

  private:
    int fd_ = -1;
};

/// vigil-bench's source: installed under share, or in the source tree of a build folder.
fs::path find_bench_source(const fs::path& configured) {
    if (!configured.empty()) return configured;
    const auto here = fs::read_symlink("/proc/self/exe").parent_path();
    for (const auto& folder : {here / "../share/vigil/worker/bench", here / "../../worker/bench"}) {
        if (fs::exists(folder / "CMakeLists.txt")) return fs::canonical(folder);
    }
    return {};
}

/// Jobs of a worker that is root are another user, who passes through its folder, and sees nothing
/// of what lies in it but the job's own.
void open_for_jobs(const fs::path& state_dir) {
    if (::geteuid() != 0) return;
    fs::permissions(state_dir, fs::perms::others_exec, fs::perm_options::add);
    for (const auto* folder : {"cache", "results"}) {
        fs::create_directories(state_dir / folder);
        fs::permissions(state_dir / folder, fs::perms::owner_all);
    }
    fs::create_directories(state_dir / "bench");
    fs::permissions(state_dir / "bench", fs::perms::others_exec, fs::perm_options::add);
}

/// By lot, so that no other process ever has it.
std::string draw_instance() {
    std::random_device lots;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", lots(), lots(), lots(), lots());
}

/// What belongs to the person, not to a worker, is kept where `vigil compare` keeps its own.
fs::path own_state_folder() {
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state != nullptr && *state != '\0') return fs::path(state) / "vigil";
    const char* home = std::getenv("HOME");
    if (home == nullptr || *home == '\0') {
        throw Error(Errc::invalid_argument, "neither HOME nor XDG_STATE_HOME is set; set one");
    }
    return fs::path(home) / ".local/state/vigil";
}

int provide_bench(const Arguments& arguments) {
    // Standard output is for the program's path alone.
    start_logging("warn");
    try {
        const auto source = find_bench_source({});
        if (arguments.product.empty()) {
            const auto missing = missing_for_bench(source);
            if (!missing.empty()) throw Error(Errc::unavailable, "vigil-bench: " + missing);
            if (!has_torch()) {
                std::cerr
                    << "vigil-worker: this machine has no LibTorch of its own: the build must "
                       "contain one, or run: apt-get install libtorch-dev\n";
            }
            return 0;
        }
        std::cout << worker::provide_bench(
                         fs::canonical(arguments.product),
                         arguments.benchmark,
                         source,
                         own_state_folder(),
                         std::cerr)
                         .string()
                  << "\n";
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "vigil-worker: " << error.what() << "\n";
        return exit_failed;
    }
}

MachineShare share_of(const WorkerSettings& settings) {
    MachineShare share{settings.cores, settings.numa_memory, {}};
    if (settings.gpus) share.gpus = choose_gpus(*settings.gpus, list_gpu_devices());
    return share;
}

std::map<std::string, std::string> labels_of(const WorkerSettings& settings) {
    auto labels = settings.labels;
    labels.erase(std::string(profiler_label));
    std::string profilers;
    for (const auto& [profiler, name] : enum_names<Profiler>) {
        if (!why_no_profiler(profiler).empty()) continue;
        profilers += (profilers.empty() ? "" : " ") + std::string(name);
    }
    labels.emplace(profiler_label, profilers);
    return labels;
}

void work(const WorkerSettings& settings, const Arguments& arguments) {
    start_logging(settings.log_level, settings.name);
    StopFlags flags;
    const DrainSignals signals(flags, std::chrono::seconds(settings.drain_s));
    const FolderLock lock(settings.state_dir);
    open_for_jobs(settings.state_dir);
    const auto share = share_of(settings);
    keep_to(share);
    ProcessRunner runner(
        {{},
         settings.sandbox,
         settings.read_only_paths,
         Whose::others,
         settings.allow_uncontained ? Uncontained::allowed : Uncontained::refused,
         settings.state_dir,
         share.gpus});
    for (const auto& warning : runner.warnings()) log_warn("worker.degraded", {{"why", warning}});
    std::optional<TurnRunner> turns;
    if (!settings.machine_lock.empty()) {
        Neighbour self{settings.name, settings.beside, own_processors(), {}};
        const auto gpus = share.gpus ? *share.gpus : list_gpu_devices();
        for (const auto& gpu : gpus) self.gpus.push_back(gpu.file);
        turns.emplace(runner, settings.machine_lock, self);
    }
    HttpService service(
        settings.server, load_token(settings.token_file), flags.draining(), settings.content_from);
    ContentCache cache(settings.state_dir / "cache", settings.cache_max_bytes);
    ResultBox results(settings.state_dir / "results");
    const auto toolchain = toolchain_text();
    auto build_cache = settings.build_cache;
    if (!settings.build_cache_token_file.empty()) {
        build_cache.token = load_token(settings.build_cache_token_file);
    }
    JobRunner jobs(
        turns ? static_cast<Runner&>(*turns) : runner,
        service,
        cache,
        {settings.state_dir / "work",
         build_cache,
         settings.state_dir / "bench",
         find_bench_source(settings.bench_source)},
        toolchain,
        share);
    JobLoop loop(
        service,
        jobs,
        results,
        flags,
        {make_fingerprint(read_environment("/", share.gpus), labels_of(settings), toolchain),
         draw_instance(),
         runner.containment(),
         {}});
    log_info("worker.started", {{"server", settings.server}, {"sandboxed", runner.sandboxed()}});
    notify_manager("READY=1");
    if (arguments.once) {
        results.deliver(service);
        if (!loop.run_once(0)) log_info("worker.no_job");
    } else {
        loop.run(arguments.until_idle);
    }
    log_info("worker.ended");
}

}  // namespace

int main(int count, char** values) {
    const std::string only = count == 2 ? values[1] : "";
    if (only == "--help" || only == "-h") {
        std::cout << help;
        return 0;
    }
    if (only == "--version") {
        std::cout << version_line("vigil-worker") << "\n";
        return 0;
    }
    const auto arguments = parse_arguments(count, values);
    if (!arguments) return exit_usage;
    if (arguments->check_machine) return check_machine(arguments->json);
    if (arguments->provide_bench) return provide_bench(*arguments);
    WorkerSettings settings;
    try {
        settings = load_settings(arguments->config);
        if (arguments->check_config) {
            load_token(settings.token_file);
            settings.bench_source = find_bench_source(settings.bench_source);
            std::cout << effective_settings(settings) << "\n";
            return 0;
        }
    } catch (const std::exception& error) {
        std::cerr << "vigil-worker: " << error.what() << "\n";
        return exit_usage;
    }
    try {
        work(settings, *arguments);
        return 0;
    } catch (const std::exception& error) {
        log_error("worker.failed", {{"why", error.what()}});
        return exit_failed;
    }
}
