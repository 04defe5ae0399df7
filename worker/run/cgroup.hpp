#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace vigil::worker {

/// A control group of one run, removed when this object goes; its processes are killed first.
class RunGroup {
  public:
    /// @param folders  one per hierarchy, made already; memory is the first
    RunGroup(std::vector<std::filesystem::path> folders, int version);
    RunGroup(RunGroup&& other) noexcept = default;
    RunGroup& operator=(RunGroup&&) = delete;
    ~RunGroup();

    /// Files to which a process writes "0" to enter the group.
    std::vector<std::filesystem::path> entrances() const;

    /// How many processes the kernel killed for want of memory.
    std::int64_t out_of_memory_kills() const;

    void kill_all() const;

  private:
    std::vector<std::filesystem::path> folders_;
    int version_;
};

/// Makes control groups for runs below the one this process is in, where the system lets it.
class Cgroups {
  public:
    /// Finds out what is possible. With version 2 this process moves itself into a leaf, since
    /// limits and processes cannot be in one group there.
    /// @param root        /sys/fs/cgroup
    /// @param membership  the text of /proc/self/cgroup
    Cgroups(const std::filesystem::path& root, const std::string& membership);

    /// "cgroup v1", "cgroup v2", or "rlimit" when groups cannot be used.
    std::string memory_method() const;
    bool limits_processes() const { return !pids_.empty(); }
    /// Why groups are not used; empty when they are.
    const std::string& reason() const { return reason_; }

    /// @param processes  includes the two of the sandbox
    /// @return nothing when groups cannot be used
    /// @throws Error{unavailable} when making one fails although it should work
    std::optional<RunGroup> make(std::int64_t memory_bytes, std::int64_t processes);

  private:
    void find_v1(const std::filesystem::path& root, const std::string& membership);
    void find_v2(const std::filesystem::path& root, const std::string& membership);

    int version_ = 0;  ///< 0: none
    std::filesystem::path memory_;
    std::filesystem::path pids_;  ///< empty: processes cannot be limited
    std::string reason_;
};

}  // namespace vigil::worker
