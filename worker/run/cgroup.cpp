#include "worker/run/cgroup.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <time.h>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

#include "schema/model/error.hpp"
#include "worker/run/text_file.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view group_prefix = "vigil-";

std::atomic<int> groups_made{0};  // of all threads of this process: names must differ

bool write_text(const fs::path& file, const std::string& text) {
    std::ofstream out(file);
    out << text << std::flush;
    return out.good();
}

/// The value of "name value" lines, 0 when the name is not there.
std::int64_t number_of(const std::string& text, const std::string& name) {
    std::istringstream lines(text);
    std::string key;
    std::int64_t value = 0;
    while (lines >> key >> value) {
        if (key == name) return value;
    }
    return 0;
}

/// This process's group in the hierarchy that has the controller; "" stands for version 2.
std::optional<std::string> group_of(const std::string& membership, const std::string& controller) {
    std::istringstream lines(membership);
    std::string line;
    while (std::getline(lines, line)) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (second == line.npos) continue;
        const auto names = "," + line.substr(first + 1, second - first - 1) + ",";
        if (names == ",," ? controller.empty() : names.find("," + controller + ",") != names.npos) {
            return line.substr(second + 1);
        }
    }
    return std::nullopt;
}

/// Removes the groups of workers that were killed: "vigil-<process>-<number>".
void remove_stale(const fs::path& folder) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const auto name = entry.path().filename().string();
        if (name.rfind(group_prefix, 0) != 0) continue;
        const int owner = std::atoi(name.substr(group_prefix.size()).c_str());
        if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) ::rmdir(entry.path().c_str());
    }
}

fs::path below(const fs::path& root, const std::string& group) {
    return group == "/" ? root : root / group.substr(1);
}

}  // namespace

RunGroup::RunGroup(std::vector<fs::path> folders, int version)
    : folders_(std::move(folders)), version_(version) {}

std::vector<fs::path> RunGroup::entrances() const {
    std::vector<fs::path> files;
    for (const auto& folder : folders_) files.push_back(folder / "cgroup.procs");
    return files;
}

std::int64_t RunGroup::out_of_memory_kills() const {
    const auto& memory = folders_.front();
    const auto* file = version_ == 1 ? "memory.oom_control" : "memory.events";
    return number_of(read_text(memory / file), "oom_kill");
}

void RunGroup::kill_all() const {
    for (const auto& folder : folders_) {
        if (version_ == 2 && write_text(folder / "cgroup.kill", "1")) continue;
        std::istringstream processes(read_text(folder / "cgroup.procs"));
        pid_t process = 0;
        while (processes >> process) ::kill(process, SIGKILL);
    }
}

RunGroup::~RunGroup() {
    constexpr int attempts = 200;
    for (const auto& folder : folders_) {
        for (int i = 0; i < attempts && ::rmdir(folder.c_str()) != 0 && errno == EBUSY; ++i) {
            kill_all();
            const timespec pause{0, 1'000'000};  // a killed process leaves its group a bit later
            nanosleep(&pause, nullptr);
        }
    }
}

Cgroups::Cgroups(const fs::path& root, const std::string& membership) {
    find_v1(root, membership);
    if (version_ == 0) find_v2(root, membership);
    if (version_ == 0) return;
    reason_.clear();
    remove_stale(memory_);
    if (!pids_.empty() && pids_ != memory_) remove_stale(pids_);
}

void Cgroups::find_v1(const fs::path& root, const std::string& membership) {
    const auto group = group_of(membership, "memory");
    if (!group) {
        reason_ = "there is no memory controller of version 1";
        return;
    }
    const auto folder = below(root / "memory", *group);
    if (::access(folder.c_str(), W_OK) != 0) {
        reason_ =
            "the control group " + folder.string() + " cannot be written: " + std::strerror(errno);
        return;
    }
    version_ = 1;
    memory_ = folder;
    if (const auto pids = group_of(membership, "pids")) {
        const auto pids_folder = below(root / "pids", *pids);
        if (::access(pids_folder.c_str(), W_OK) == 0) pids_ = pids_folder;
    }
}

void Cgroups::find_v2(const fs::path& root, const std::string& membership) {
    const auto group = group_of(membership, "");
    const auto folder = below(root, group.value_or("/"));
    if (!group || !fs::exists(folder / "cgroup.controllers")) {
        reason_ += "; there is no control group of version 2";
        return;
    }
    const auto controllers = " " + read_text(folder / "cgroup.controllers") + " ";
    if (controllers.find("memory") == controllers.npos) {
        reason_ += "; the control group " + folder.string() + " has no memory controller";
        return;
    }
    const auto leaf = folder / "vigil-worker";
    const bool moved = (::mkdir(leaf.c_str(), 0755) == 0 || errno == EEXIST) &&
                       write_text(leaf / "cgroup.procs", std::to_string(::getpid()));
    if (!moved || !write_text(folder / "cgroup.subtree_control", "+memory +pids")) {
        reason_ += "; the control group " + folder.string() +
                   " does not let its limits be set (delegate it to the worker)";
        return;
    }
    version_ = 2;
    memory_ = folder;
    if (controllers.find("pids") != controllers.npos) pids_ = folder;
}

std::string Cgroups::memory_method() const {
    return version_ == 0 ? "rlimit" : "cgroup v" + std::to_string(version_);
}

std::optional<RunGroup> Cgroups::make(std::int64_t memory_bytes, std::int64_t processes) {
    if (version_ == 0) return std::nullopt;
    const auto name = std::string(group_prefix) + std::to_string(::getpid()) + "-" +
                      std::to_string(++groups_made);
    std::vector<fs::path> folders{memory_ / name};
    if (version_ == 1 && !pids_.empty()) folders.push_back(pids_ / name);
    for (const auto& folder : folders) {
        if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
            throw Error(
                Errc::unavailable,
                "making the control group " + folder.string() + ": " + std::strerror(errno));
        }
    }
    RunGroup group(folders, version_);
    const auto bytes = std::to_string(memory_bytes);
    const auto* limit = version_ == 1 ? "memory.limit_in_bytes" : "memory.max";
    if (!write_text(folders.front() / limit, bytes)) {
        throw Error(
            Errc::unavailable,
            "setting the memory limit of " + folders.front().string() + " failed");
    }
    // Swap would turn an out-of-memory into a slow run; not every kernel lets it be limited.
    write_text(
        folders.front() / (version_ == 1 ? "memory.memsw.limit_in_bytes" : "memory.swap.max"),
        version_ == 1 ? bytes : "0");
    if (!pids_.empty()) {
        write_text(folders.back() / "pids.max", std::to_string(processes));
    }
    return group;
}

}  // namespace vigil::worker
