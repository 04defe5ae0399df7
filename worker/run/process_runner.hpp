#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "worker/run/cgroup.hpp"
#include "worker/run/run.hpp"
#include "worker/run/sandbox.hpp"

namespace vigil::worker {

/// Whose commands are run. Others' are held: never as root, and without a sandbox only where that
/// was allowed. One's own run as oneself, in `off` and `view`.
enum class Whose { others, own };

/// Whether others' commands may run where there is no sandbox.
enum class Uncontained { refused, allowed };

/// The Runner of production: bubblewrap around vigil-child around the command. A thread
/// must outlive its runs: the sandbox dies with the thread that started it.
class ProcessRunner : public Runner {
  public:
    struct Options {
        std::filesystem::path child_program;  ///< vigil-child; empty: beside this program
        SandboxMode sandbox = SandboxMode::automatic;
        std::vector<std::filesystem::path> read_only_paths;  ///< shown inside where they are
        Whose whose = Whose::others;
        Uncontained uncontained = Uncontained::refused;
        std::filesystem::path
            try_in{};  ///< folder for a first try; empty: the system's temporary one
        std::optional<GpuDevices> gpus{};  ///< nothing: all
    };

    /// Tries the sandbox once; as root without the right to make namespaces, as another user too.
    /// @throws Error{unavailable} when there is none and others' commands may not do without, or it
    /// is required (also to view), or vigil-child is missing,
    ///         Error{invalid_argument} when a path to show is
    explicit ProcessRunner(Options options);

    RunReport run(const RunRequest& request) override;
    std::map<std::string, std::string> facts() const override;

    /// What is weaker here than it should be, for the log; empty when all is well.
    const std::vector<std::string>& warnings() const { return warnings_; }
    bool sandboxed() const override { return way_ != Way::bare && !views(); }

    /// What holds the commands: layer -> method, "none" where nothing does. The layers are sandbox,
    /// user, network, system_calls, memory, processes and disk.
    std::map<std::string, std::string> containment() const;

    bool limits_memory_by_cgroup() const { return cgroups_.memory_method() != "rlimit"; }

  private:
    bool views() const { return options_.sandbox == SandboxMode::view; }
    /// How bubblewrap is started: by root; by root that became the sandbox's user first; by a user
    /// who is not root. Or not at all.
    enum class Way { bare, root, dropped, user };

    std::string find_way();     ///< @return why there is none; empty when there is
    std::string try_sandbox();  ///< @return why it does not work; empty when it does
    bool becomes_other() const;
    void open_folders(const RunRequest& request) const;
    std::vector<std::string> arguments_for(const RunRequest& request) const;
    std::vector<Mount> mounts_for(const RunRequest& request) const;

    Options options_;
    std::filesystem::path bubblewrap_;
    Way way_ = Way::bare;
    std::string filter_;  ///< of system calls; empty: none
    Cgroups cgroups_;
    std::vector<std::string> warnings_;
};

}  // namespace vigil::worker
