#pragma once

#include <atomic>
#include <map>

#include "schema/model/recipe.hpp"
#include "service/fleet/cluster.hpp"
#include "service/source/child.hpp"

namespace vigil::service {

/// Slurm by its command line clients, which stand in PATH and find the cluster by themselves (or by
/// SLURM_CONF). Runs them without a shell.
class SlurmCommands : public Cluster {
  public:
    /// @param stop  ends a client that is running when it turns true; must outlive this
    explicit SlurmCommands(const std::atomic<bool>& stop) : stop_(stop) {}

    ClusterReply request(const ClusterRequest& request) override;
    std::vector<ClusterJob> list_jobs() override;
    std::optional<ClusterJob> look_up(std::int64_t job) override;
    std::set<std::string> list_drained() override;
    void cancel(std::int64_t job) override;
    void dismiss(std::int64_t job) override;
    std::optional<std::string> drain(const std::string& node, const std::string& reason) override;

  private:
    ChildResult run(const std::string& program, Command arguments) const;
    std::optional<ClusterJob> ask_accounting(std::int64_t job) const;

    const std::atomic<bool>& stop_;
};

// What they print, as pure functions. What does not fit is left out: it is a stranger's text.

/// The arguments of sbatch.
Command sbatch_arguments(const ClusterRequest& request);

/// The number in what `sbatch --parsable` printed.
std::optional<std::int64_t> parse_submitted(std::string_view output);

/// Lines "number|state|node|name|reason".
std::vector<ClusterJob> parse_jobs(std::string_view output);

/// A line of `scontrol show job --oneliner`.
std::optional<ClusterJob> parse_shown_job(std::string_view output);

/// Lines "node|state" of those that take no more jobs: drained, down, failing or in maintenance.
std::set<std::string> parse_drained(std::string_view output);

}  // namespace vigil::service
