#include "worker/run/process_runner.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/numbers.hpp"
#include "worker/run/disk_watch.hpp"
#include "worker/run/event_counter.hpp"
#include "worker/run/facts.hpp"
#include "worker/run/out_of_memory.hpp"
#include "worker/run/spawn.hpp"
#include "worker/run/system_calls.hpp"
#include "worker/run/text_file.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr const char* child_path = "/vigil/child";
constexpr std::int64_t own_processes = 2;     // bwrap and vigil-child are in the group too
constexpr std::int64_t backstop_ms = 10'000;  // vigil-child keeps the time itself

bool is_root() {
    return ::geteuid() == 0;
}

/// Lets the sandbox's user write a folder and all it holds.
void give_away(const fs::path& folder) {
    struct stat status {};
    if (!is_root() || ::stat(folder.c_str(), &status) != 0 || status.st_uid == sandbox_user) return;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (::lchown(entry.path().c_str(), sandbox_user, sandbox_user) != 0) break;
    }
    if (::lchown(folder.c_str(), sandbox_user, sandbox_user) != 0) {
        throw Error(
            Errc::unavailable,
            "giving " + folder.string() + " to the sandbox's user: " + std::strerror(errno));
    }
}

void describe_end(RunReport& report, const RunRequest& request) {
    switch (report.end) {
        case RunEnd::exited: break;
        case RunEnd::signalled:
            report.message =
                fmt::format("killed by signal {} ({})", report.signal, ::strsignal(report.signal));
            if (report.signal == SIGXFSZ) {
                report.message += fmt::format(
                    ": it wrote a file larger than {} bytes", request.limits.disk_bytes);
            }
            break;
        case RunEnd::timed_out:
            report.message = fmt::format("not done after {} s", request.limits.wall_time_s);
            break;
        case RunEnd::out_of_memory:
            report.message =
                fmt::format("out of memory; it may use {} bytes", request.limits.memory_bytes);
            break;
        case RunEnd::not_started:
            report.message = fmt::format(
                "{} cannot be started: {}",
                text::one_line(request.command.front(), 200),
                std::strerror(report.exit_code));
            break;
        case RunEnd::stopped: report.message = "stopped on request"; break;
    }
}

/// @param kills  the kernel's, in the process's group
void judge_end(RunReport& report, const RunRequest& request, std::int64_t kills) {
    const bool ended_well = report.end == RunEnd::exited && report.exit_code == 0;
    if (ran_out_of_memory(report, kills, request.limits)) report.end = RunEnd::out_of_memory;
    describe_end(report, request);
    if (!ended_well || kills == 0) return;
    report.message += fmt::format(
        "; the kernel killed {} of it, and the command ended with 0 all the same",
        text::counted(kills, "process", "processes"));
}

/// What the supervising process said.
void take(RunReport& report, const ChildReport& child, bool stop_asked) {
    report.started_at_ns = child.started_at_ns;
    report.wall_time_ns = child.wall_time_ns;
    report.cpu_time_ns = child.cpu_time_ns;
    report.peak_bytes = child.peak_bytes;
    report.left_behind = child.left_behind;
    if (child.counted > 0) report.counted = child.counted;
    report.end = child.end;
    if (child.end == RunEnd::exited || child.end == RunEnd::not_started) {
        report.exit_code = child.code;
    } else if (child.end == RunEnd::signalled) {
        report.signal = child.code;
    } else if (child.end == RunEnd::stopped && !stop_asked) {
        report.end = RunEnd::signalled;  // the command told its own supervisor to stop
        report.signal = SIGTERM;
    }
}

/// What does not depend on how processes are held.
SpawnRequest order_of(const RunRequest& request) {
    SpawnRequest order;
    order.merge_errors = request.streams == Streams::merged;
    order.output_bytes = request.limits.output_bytes;
    order.wall_time_ms = request.limits.wall_time_s * 1000 + backstop_ms;
    order.processors = request.processors;
    order.numa_memory = request.numa_memory;
    order.counter = request.counter;
    order.stop = request.stop;
    order.channel = request.channel;
    return order;
}

void check(const RunRequest& request) {
    const auto& limits = request.limits;
    const bool limited = limits.wall_time_s > 0 && limits.memory_bytes > 0 &&
                         limits.processes > 0 && limits.output_bytes > 0 && limits.disk_bytes > 0;
    if (request.command.empty() || request.command.front().empty() || !limited) {
        throw Error(
            Errc::invalid_argument, "running a process: it needs a command and positive limits");
    }
    if (!fs::is_directory(request.folder) || !fs::is_directory(request.scratch)) {
        throw Error(
            Errc::invalid_argument,
            "running " + text::one_line(request.command.front(), 200) + ": there is no folder " +
                request.folder.string() + " or " + request.scratch.string());
    }
}

}  // namespace

ProcessRunner::ProcessRunner(Options options)
    : options_(std::move(options)), cgroups_("/sys/fs/cgroup", read_text("/proc/self/cgroup")) {
    if (options_.child_program.empty()) {
        options_.child_program = fs::read_symlink("/proc/self/exe").parent_path() / "vigil-child";
    }
    if (::access(options_.child_program.c_str(), X_OK) != 0) {
        throw Error(
            Errc::unavailable,
            "looking for " + options_.child_program.string() +
                ": it is missing; install it beside this program");
    }
    for (const auto& path : options_.read_only_paths) {
        if (!fs::exists(path)) {
            throw Error(
                Errc::invalid_argument,
                "showing " + path.string() + " to jobs: it is missing; see read_only_paths");
        }
    }
    const bool off = options_.sandbox == SandboxMode::off;
    const auto reason = off ? "it is switched off" : find_way();
    if (!reason.empty()) {
        const bool may =
            options_.whose == Whose::own || options_.uncontained == Uncontained::allowed;
        if (!may) {
            throw Error(
                Errc::unavailable,
                "there is no sandbox: " + reason +
                    "; jobs would have the network and read what this user reads. Mend that, or "
                    "set allow_uncontained if you trust all that is built here");
        }
        if (!off && options_.sandbox != SandboxMode::automatic) {
            throw Error(Errc::unavailable, "trying the sandbox: " + reason);
        }
        warnings_.push_back("no sandbox: " + reason);
        const auto unreachable = becomes_other() ? try_sandbox() : "";
        if (!unreachable.empty()) {
            throw Error(
                Errc::unavailable,
                fmt::format(
                    "running jobs as user {}, not as root: {}; let others pass {} and the folders "
                    "above it (chmod o+x)",
                    sandbox_user,
                    unreachable,
                    options_.try_in.string()));
        }
    }
    if (!cgroups_.reason().empty()) {
        warnings_.push_back(
            "memory is limited per process, and counted for all of them: " + cgroups_.reason());
    }
}

std::string ProcessRunner::find_way() {
    bubblewrap_ = find_bubblewrap();
    if (bubblewrap_.empty()) return "bubblewrap is not installed (package bubblewrap)";
    try {
        if (!views()) filter_ = system_call_filter();
    } catch (const Error& error) {
        return error.what();
    }
    if (!is_root() || views()) {
        way_ = Way::user;
        return try_sandbox();
    }
    way_ = Way::root;
    const auto reason = try_sandbox();
    if (reason.empty()) return "";
    way_ = Way::dropped;  // root of a container, without the right to make namespaces
    const auto dropped = try_sandbox();
    if (dropped.empty()) return "";
    return fmt::format("{}; as user {}: {}", reason, sandbox_user, dropped);
}

std::string ProcessRunner::try_sandbox() {
    const auto base = options_.try_in.empty() ? fs::temp_directory_path() : options_.try_in;
    std::string folder = (base / "vigil-sandbox-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) return "no temporary folder can be made";
    std::string reason;
    try {
        RunRequest request;
        request.command = {"/bin/true"};
        request.folder = folder;
        if (views()) request.folder_path = folder;
        request.scratch = folder;
        const auto report = run(request);
        if (report.end != RunEnd::exited || report.exit_code != 0) {
            reason = "a first try failed: " + report.message + text::one_line(report.errors);
        }
    } catch (const Error& error) {
        reason = error.what();
    }
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    if (!reason.empty() && way_ != Way::root) way_ = Way::bare;
    return reason;
}

/// Whether this process is root and the command someone else.
bool ProcessRunner::becomes_other() const {
    return is_root() && options_.whose == Whose::others && !views();
}

void ProcessRunner::open_folders(const RunRequest& request) const {
    if (!becomes_other()) return;
    give_away(request.scratch);
    if (request.folder_access == MountAccess::writable) give_away(request.folder);
    for (const auto& mount : request.mounts) {
        if (mount.access == MountAccess::writable) give_away(mount.from);
    }
}

std::vector<Mount> ProcessRunner::mounts_for(const RunRequest& request) const {
    std::vector<Mount> mounts;
    mounts.push_back({options_.child_program, child_path, MountAccess::read_only});
    mounts.push_back({request.folder, request.folder_path, request.folder_access});
    mounts.push_back({request.scratch, scratch_path, MountAccess::writable});
    for (const auto& path : options_.read_only_paths) {
        mounts.push_back({path, path.string(), MountAccess::read_only});
    }
    mounts.insert(mounts.end(), request.mounts.begin(), request.mounts.end());
    return mounts;
}

std::vector<std::string> ProcessRunner::arguments_for(const RunRequest& request) const {
    const auto& limits = request.limits;
    std::vector<std::string> arguments;
    if (sandboxed()) {
        arguments = sandbox_arguments(
            mounts_for(request),
            way_ == Way::root ? Rights::root : Rights::user,
            limits.memory_bytes,
            options_.gpus);
        arguments.insert(arguments.begin(), bubblewrap_.string());
        add_loader_variables(arguments, request.environment);
        arguments.insert(
            arguments.end(), {"--seccomp", std::to_string(filter_descriptor), "--", child_path});
    } else if (views()) {
        arguments = {
            bubblewrap_.string(),
            "--dev-bind",
            "/",
            "/",
            "--bind",
            request.folder.string(),
            request.folder_path};
        add_loader_variables(arguments, request.environment);
        arguments.insert(arguments.end(), {"--", options_.child_program.string()});
    } else {
        arguments = {options_.child_program.string()};
    }
    const bool change_user = becomes_other() && way_ != Way::dropped;
    const bool by_group = cgroups_.limits_processes();
    const bool data_limit = !limits_memory_by_cgroup();
    for (const auto& text :
         {std::to_string(report_descriptor),
          std::to_string(lifeline_descriptor),
          std::to_string(change_user ? sandbox_user : 0),
          sandboxed() || views() ? request.folder_path : request.folder.string(),
          std::to_string(limits.wall_time_s * 1000),
          std::to_string(limits.disk_bytes),
          std::to_string(by_group ? 0 : limits.processes),
          std::to_string(data_limit ? limits.memory_bytes : 0),
          std::to_string(data_limit ? limits.memory_bytes : 0),
          std::to_string(request.counter ? counter_descriptor : -1),
          std::to_string(request.channel >= 0 ? channel_descriptor : -1)}) {
        arguments.push_back(text);
    }
    arguments.insert(arguments.end(), request.command.begin(), request.command.end());
    return arguments;
}

RunReport ProcessRunner::run(const RunRequest& request) {
    check(request);
    if (views() && !fs::is_directory(request.folder_path)) {
        throw Error(Errc::invalid_argument, "showing a folder: there is no " + request.folder_path);
    }
    open_folders(request);
    std::optional<DiskWatch> disk;
    if (options_.whose == Whose::others) {
        std::vector<fs::path> written{request.scratch};
        if (request.folder_access == MountAccess::writable) written.push_back(request.folder);
        disk.emplace(std::move(written), request.limits.disk_bytes);
    }
    const auto group =
        cgroups_.make(request.limits.memory_bytes, request.limits.processes + own_processes);
    auto order = order_of(request);
    order.arguments = arguments_for(request);
    order.environment =
        environment_for(request, sandboxed(), !sandboxed() && !views(), options_.gpus);
    if (group) order.groups = group->entrances();
    if (disk) order.stop_too = &disk->over();
    if (sandboxed()) order.filter = filter_;
    if (sandboxed() && way_ == Way::dropped) order.user = sandbox_user;
    const auto clocks = read_clocks(request.processors);
    const auto result = spawn(order);
    const auto clocks_after = read_clocks(request.processors);
    if (group) group->kill_all();

    RunReport report;
    report.output = result.output.text();
    report.errors = result.errors.text();
    report.output_bytes = result.output.total_bytes();
    report.errors_bytes = result.errors.total_bytes();
    report.truncated = result.output.truncated();
    const std::int64_t kills = group ? group->out_of_memory_kills() : 0;
    if (result.report) {
        take(report, *result.report, result.stopped);
        report.facts = facts_of(*result.report, clocks, clocks_after);
        note_counter(report, request);
    } else if (result.stopped) {
        report.end = RunEnd::stopped;
    } else if (result.overdue) {
        report.end = RunEnd::timed_out;
    } else if (kills == 0) {
        throw Error(
            Errc::unavailable,
            fmt::format(
                "starting {}: the sandbox failed (status {}): {}",
                text::one_line(request.command.front(), 200),
                result.status,
                text::one_line(report.errors.empty() ? report.output : report.errors)));
    }
    judge_end(report, request, kills);
    const auto too_much = disk ? disk->why() : "";
    if (!too_much.empty()) {
        report.end = RunEnd::signalled;
        report.signal = SIGXFSZ;
        report.message = too_much;
    }
    return report;
}

std::map<std::string, std::string> ProcessRunner::containment() const {
    const bool held = sandboxed();
    const std::string user = becomes_other()             ? "another"
                             : held && way_ == Way::user ? "namespace"
                                                         : "none";
    return {
        {"sandbox", held ? "bubblewrap" : "none"},
        {"user", user},
        {"network", held ? "namespace" : "none"},
        {"system_calls", held ? "seccomp" : "none"},
        {"memory", limits_memory_by_cgroup() ? cgroups_.memory_method() : "watched"},
        {"processes", cgroups_.limits_processes() ? "cgroup" : "rlimit"},
        {"disk", options_.whose == Whose::others ? "watched" : "none"}};
}

std::map<std::string, std::string> ProcessRunner::facts() const {
    return {
        {"sandbox",
         sandboxed() ? "bubblewrap"
         : views()   ? "view"
                     : "none"},
        {"memory_limit", cgroups_.memory_method()},
        {"process_limit", cgroups_.limits_processes() ? "cgroup" : "rlimit"}};
}

}  // namespace vigil::worker
