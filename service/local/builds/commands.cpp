#include "service/local/builds/commands.hpp"

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"

namespace vigil::local {

namespace {

namespace fs = std::filesystem;

constexpr int git_timeout_s = 1800;
constexpr std::int64_t kept_output_bytes = 4 << 20;
constexpr std::int64_t no_byte_limit = std::int64_t{1} << 50;
constexpr std::int64_t no_process_limit = 1 << 20;

/// What git passes to the programs that it starts, and would obey if it found it.
bool is_order_to_git(const std::string& name) {
    for (const char* order :
         {"GIT_DIR",
          "GIT_WORK_TREE",
          "GIT_INDEX_FILE",
          "GIT_COMMON_DIR",
          "GIT_OBJECT_DIRECTORY",
          "GIT_ALTERNATE_OBJECT_DIRECTORIES",
          "GIT_NAMESPACE",
          "GIT_PREFIX",
          "GIT_REFLOG_ACTION",
          "GIT_QUARANTINE_PATH"}) {
        if (name == order) return true;
    }
    return false;
}

std::unique_ptr<worker::ProcessRunner> runner_of(const World& world, worker::SandboxMode sandbox) {
    worker::ProcessRunner::Options options;
    options.child_program = world.child_program;
    options.whose = worker::Whose::own;
    options.sandbox = sandbox;
    return std::make_unique<worker::ProcessRunner>(options);
}

}  // namespace

Commands::Commands(const World& world, fs::path scratch)
    : world_(world), scratch_(std::move(scratch)) {
    for (const auto& [name, value] : world.environment) {
        const bool plain = !name.empty() && name.find('=') == name.npos;
        if (plain && !is_order_to_git(name)) environment_[name] = value;
    }
    runner_ = runner_of(world, worker::SandboxMode::off);
}

std::string Commands::prepare_together() {
    try {
        if (!viewer_) viewer_ = runner_of(world_, worker::SandboxMode::view);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

void Commands::make_scratch(const fs::path& folder) const {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) {
        throw Error(
            Errc::unavailable, "making the folder " + folder.string() + ": " + failure.message());
    }
}

void Commands::complete(worker::RunRequest& request, OnStop on_stop) const {
    for (const auto& [name, value] : environment_) request.environment.emplace(name, value);
    request.limits.memory_bytes = no_byte_limit;
    request.limits.disk_bytes = no_byte_limit;
    request.limits.processes = no_process_limit;
    request.limits.output_bytes = kept_output_bytes;
    request.folder_access = worker::MountAccess::writable;
    request.stop = on_stop == OnStop::end ? world_.stop : nullptr;
}

worker::RunReport Commands::run(worker::RunRequest request, OnStop on_stop) {
    make_scratch(scratch_);
    request.scratch = scratch_;
    complete(request, on_stop);
    return runner_->run(request);
}

std::vector<worker::RunReport> Commands::together(
    const std::string& line,
    const std::vector<ShownProduct>& places,
    int timeout_s,
    worker::Sharing sharing) {
    VIGIL_ASSERT(viewer_ != nullptr);
    make_scratch(scratch_);
    std::vector<worker::RunRequest> requests;
    for (const ShownProduct& place : places) {
        worker::RunRequest request;
        request.command = {"/bin/sh", "-c", line};
        request.folder = place.product;
        request.folder_path = place.path.string();
        request.limits.wall_time_s = timeout_s;
        request.scratch = scratch_ / std::to_string(requests.size());
        make_scratch(request.scratch);
        complete(request, OnStop::end);
        requests.push_back(std::move(request));
    }
    return worker::run_together(*viewer_, std::move(requests), sharing, scratch_ / "turns");
}

worker::RunReport Commands::shell(
    const std::string& line,
    const fs::path& folder,
    int timeout_s,
    worker::Streams streams,
    const EnvironmentVariables& more) {
    worker::RunRequest request;
    request.environment = more;
    request.command = {"/bin/sh", "-c", line};
    request.folder = folder;
    request.streams = streams;
    request.limits.wall_time_s = timeout_s;
    return run(std::move(request), OnStop::end);
}

worker::ProfiledRun Commands::profile(
    Profiler profiler, const std::string& line, const fs::path& folder, int timeout_s) {
    worker::RunRequest request;
    request.command = {"/bin/sh", "-c", line};
    request.folder = folder;
    request.limits.wall_time_s = timeout_s;
    make_scratch(scratch_);
    request.scratch = scratch_;
    complete(request, OnStop::end);
    return worker::run_for_profile(*runner_, request, profiler);
}

worker::RunReport Commands::git(
    const std::vector<std::string>& arguments,
    const fs::path& folder,
    OnStop on_stop,
    const EnvironmentVariables& more) {
    worker::RunRequest request;
    request.command = {
        "git",
        "--no-optional-locks",
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "advice.detachedHead=false"};
    request.command.insert(request.command.end(), arguments.begin(), arguments.end());
    request.environment = {{"GIT_TERMINAL_PROMPT", "0"}, {"LC_ALL", "C"}, {"GIT_PAGER", "cat"}};
    for (const auto& [name, value] : more) request.environment[name] = value;
    request.folder = folder;
    request.limits.wall_time_s = git_timeout_s;
    return run(std::move(request), on_stop);
}

std::string failure_of(const worker::RunReport& report) {
    if (report.end == worker::RunEnd::exited && report.exit_code == 0) return "";
    std::string why = report.end == worker::RunEnd::exited
                          ? fmt::format("it ends with exit code {}", report.exit_code)
                          : report.message;
    const bool told = report.end == worker::RunEnd::exited ||
                      report.end == worker::RunEnd::signalled ||
                      report.end == worker::RunEnd::timed_out;
    std::string said = text::telling_line(report.errors);
    if (said.empty()) said = text::telling_line(report.output);
    return told && !said.empty() ? why + ": " + said : why;
}

}  // namespace vigil::local
