#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "service/local/builds/world.hpp"
#include "worker/run/process_runner.hpp"
#include "worker/run/profile/profiled_run.hpp"
#include "worker/run/together.hpp"

namespace vigil::local {

/// Whether a command ends when the world says stop; what cleans up must not.
enum class OnStop { end, go_on };

/// Runs the user's own commands and git: in a process group of their own, with the user's
/// environment less what git would take for orders (GIT_DIR ...), and nothing on standard input.
/// All they started has ended when a call returns, also when the world says stop. One for each
/// thread.
class Commands {
  public:
    /// @param scratch  a folder for temporary files, made when missing and emptied for every run
    /// @throws Error{unavailable} when vigil-child is missing
    Commands(const World& world, std::filesystem::path scratch);

    /// `sh -c line` in a folder.
    /// @param more  over the user's environment
    /// @throws Error{unavailable} when no process can be made
    worker::RunReport shell(
        const std::string& line,
        const std::filesystem::path& folder,
        int timeout_s,
        worker::Streams streams,
        const EnvironmentVariables& more = {});

    /// The same under a profiler.
    /// @throws Error{unavailable} when valgrind is missing, or no process can be made
    worker::ProfiledRun profile(
        Profiler profiler,
        const std::string& line,
        const std::filesystem::path& folder,
        int timeout_s);

    /// Makes ready for `together`. @return why this machine cannot; empty when it can
    std::string prepare_together();

    /// A product, and the path at which the process sees it: where it was built.
    struct ShownProduct {
        std::filesystem::path product;
        std::filesystem::path path;  ///< a folder that exists
    };

    /// `sh -c line` in several products at once, each at the path it was built at, each with a
    /// folder of its own for temporary files; they share a processor, or take turns. See
    /// worker::run_together.
    /// @throws Error{unavailable} when a process cannot be made
    std::vector<worker::RunReport> together(
        const std::string& line,
        const std::vector<ShownProduct>& places,
        int timeout_s,
        worker::Sharing sharing);

    /// git without hooks, prompts and optional locks.
    worker::RunReport git(
        const std::vector<std::string>& arguments,
        const std::filesystem::path& folder,
        OnStop on_stop = OnStop::end,
        const EnvironmentVariables& more = {});

  private:
    worker::RunReport run(worker::RunRequest request, OnStop on_stop);
    void make_scratch(const std::filesystem::path& folder) const;
    void complete(worker::RunRequest& request, OnStop on_stop) const;

    const World& world_;
    std::filesystem::path scratch_;
    EnvironmentVariables environment_;
    std::unique_ptr<worker::ProcessRunner> runner_;
    std::unique_ptr<worker::ProcessRunner> viewer_;  ///< shows each process its own product
};

/// Why a process did not do what it should, one line; empty when it exited with 0.
std::string failure_of(const worker::RunReport& report);

}  // namespace vigil::local
