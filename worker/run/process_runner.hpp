#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "worker/run/cgroup.hpp"
#include "worker/run/run.hpp"
#include "worker/run/sandbox.hpp"

namespace vigil::worker {

/// The Runner of production: bubblewrap around vigil-child around the command. A thread
/// must outlive its runs: the sandbox dies with the thread that started it.
class ProcessRunner : public Runner {
  public:
    struct Options {
        std::filesystem::path child_program;  ///< vigil-child; empty: beside this program
        SandboxMode sandbox = SandboxMode::automatic;
        std::vector<std::filesystem::path> read_only_paths;  ///< shown inside where they are
    };

    /// Tries the sandbox once.
    /// @throws Error{unavailable} when it is required (also to view) and does not work, or
    /// vigil-child is missing,
    ///         Error{invalid_argument} when a path to show is
    explicit ProcessRunner(Options options);

    RunReport run(const RunRequest& request) override;
    std::map<std::string, std::string> facts() const override;

    /// What is weaker here than it should be, for the log; empty when all is well.
    const std::vector<std::string>& warnings() const { return warnings_; }
    bool sandboxed() const override { return !bubblewrap_.empty() && !views(); }
    bool limits_memory_by_cgroup() const { return cgroups_.memory_method() != "rlimit"; }

  private:
    bool views() const { return options_.sandbox == SandboxMode::view; }
    std::string try_sandbox();  ///< @return why it does not work; empty when it does
    std::vector<std::string> arguments_for(const RunRequest& request) const;
    std::vector<Mount> mounts_for(const RunRequest& request) const;

    Options options_;
    std::filesystem::path bubblewrap_;  ///< empty: no sandbox
    Cgroups cgroups_;
    std::vector<std::string> warnings_;
};

}  // namespace vigil::worker
