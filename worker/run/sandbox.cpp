#include "worker/run/sandbox.hpp"

#include <array>
#include <unistd.h>

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

// What programs and compilers read of the system; nothing that is anyone's secret.
constexpr std::array system_folders{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};
constexpr std::array system_files{
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/OpenCL",
    "/etc/openmpi",
    "/etc/java-17-openjdk",
    "/opt",
    "/sys/devices/system"};

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

/// bwrap makes missing parents of a mount for root's eyes only; made first, everybody may pass.
void make_parents(std::vector<std::string>& arguments, const fs::path& target) {
    const auto parent = target.parent_path();
    if (parent == target || parent == "/") return;
    make_parents(arguments, parent);
    arguments.insert(arguments.end(), {"--perms", "0755", "--dir", parent.string()});
}

void show_system(std::vector<std::string>& arguments) {
    const auto add = [&](std::initializer_list<std::string> more) {
        arguments.insert(arguments.end(), more);
    };
    add({"--ro-bind", "/usr", "/usr"});
    for (const std::string folder : system_folders) {
        std::error_code ignored;
        if (fs::is_symlink(folder, ignored)) {
            add({"--symlink", fs::read_symlink(folder).string(), folder});
        } else if (is_there(folder)) {
            add({"--ro-bind", folder, folder});
        }
    }
    for (const std::string file : system_files) {
        if (!is_there(file)) continue;
        make_parents(arguments, file);
        add({"--ro-bind", file, file});
    }
    add({"--proc", "/proc", "--dev", "/dev"});
}

/// GPUs are devices and what the driver says of them in /sys.
void show_gpus(std::vector<std::string>& arguments, const std::optional<GpuDevices>& gpus) {
    const auto files = gpu_files(gpus);
    if (files.empty()) return;
    for (const auto& file : files) {
        const auto path = "/dev/" + file;
        make_parents(arguments, path);
        arguments.insert(arguments.end(), {"--dev-bind", path, path});
    }
    arguments.insert(arguments.end(), {"--ro-bind", "/sys", "/sys"});
}

/// What the loader takes for the command must not be loaded into bwrap: a library that starts a
/// thread would keep it from making namespaces.
bool is_of_loader(const std::string& variable) {
    return variable.rfind("LD_", 0) == 0;
}

}  // namespace

std::vector<std::string> sandbox_arguments(
    const std::vector<Mount>& mounts,
    Rights rights,
    std::int64_t shared_memory_bytes,
    const std::optional<GpuDevices>& gpus) {
    const auto user = std::to_string(sandbox_user);
    std::vector<std::string> arguments{
        "--unshare-pid",
        "--unshare-net",
        "--unshare-ipc",
        "--unshare-uts",
        "--hostname",
        "vigil",
        "--unshare-cgroup-try",
        "--die-with-parent",
        "--new-session",
        "--as-pid-1",
        "--cap-drop",
        "ALL"};
    const auto add = [&](std::initializer_list<std::string> more) {
        arguments.insert(arguments.end(), more);
    };
    if (rights == Rights::user) {
        add({"--unshare-user", "--disable-userns", "--uid", user, "--gid", user});
    } else {
        add({"--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"});
    }
    show_system(arguments);
    show_gpus(arguments, gpus);
    // All memory that is a file has a size: /dev itself would take the whole machine's otherwise.
    add({"--remount-ro", "/dev"});
    add({"--perms", "1777", "--size", std::to_string(shared_memory_bytes), "--tmpfs", "/dev/shm"});
    for (const auto& mount : mounts) {
        const bool writable = mount.access == MountAccess::writable;
        make_parents(arguments, mount.to);
        add({writable ? "--bind" : "--ro-bind", mount.from.string(), mount.to});
    }
    add({"--remount-ro", "/", "--chdir", "/"});
    return arguments;
}

std::vector<std::string> environment_for(
    const RunRequest& request, bool sandboxed, bool loads, const std::optional<GpuDevices>& gpus) {
    const std::string scratch = sandboxed ? scratch_path : request.scratch.string();
    EnvironmentVariables variables{
        {"PATH", "/usr/local/bin:/usr/bin:/bin"},
        {"HOME", scratch},
        {"TMPDIR", scratch},
        {"LANG", "C.UTF-8"},
        {"USER", "vigil"},
        {"SHELL", "/bin/sh"}};
    for (const auto& [name, value] : request.environment) variables[name] = value;
    // Whose GPUs they are, the machine's operator says and no job.
    for (const auto& [name, value] : gpu_variables(gpus.value_or(GpuDevices{}))) {
        if (gpus) variables[name] = value;
    }
    std::vector<std::string> texts;
    for (const auto& [name, value] : variables) {
        if (loads || !is_of_loader(name)) texts.push_back(name + "=" + value);
    }
    return texts;
}

void add_loader_variables(
    std::vector<std::string>& arguments, const EnvironmentVariables& variables) {
    for (const auto& [name, value] : variables) {
        if (!is_of_loader(name)) continue;
        arguments.insert(arguments.end(), {"--setenv", name, value});
    }
}

fs::path find_bubblewrap() {
    for (const auto* path : {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"}) {
        if (::access(path, X_OK) == 0) return path;
    }
    return {};
}

}  // namespace vigil::worker
