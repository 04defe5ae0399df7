#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <set>

#include "schema/http/client.hpp"
#include "service/fleet/cluster.hpp"
#include "service/fleet/rest_words.hpp"

namespace vigil::service {

/// Slurm by slurmrestd, on a Unix socket or by a URL. The interface's version is found at the first
/// request, and again when slurmrestd does not know it any more.
class SlurmRest : public Cluster {
  public:
    /// @param address     as `fleet.slurmrestd` has it: "unix:PATH" or a URL
    /// @param token_file  read at each request; empty: no token is sent
    /// @param user        of the jobs: those of others are not listed
    /// @param stop        ends a request that is under way when it turns true; must outlive this
    /// @throws Error{invalid_argument} when the address is none
    SlurmRest(
        const std::string& address,
        std::string token_file,
        std::string user,
        const std::atomic<bool>& stop);

    ClusterReply request(const ClusterRequest& request) override;
    std::vector<ClusterJob> list_jobs() override;
    std::optional<ClusterJob> look_up(std::int64_t job) override;
    std::set<std::string> list_drained() override;
    void cancel(std::int64_t job) override;
    void dismiss(std::int64_t job) override;
    std::optional<std::string> drain(const std::string& node, const std::string& reason) override;

  private:
    using Body = std::function<std::string(int version)>;

    http::Response send(
        const std::string& method, const std::string& path, const std::string& body = "") const;
    int find_version() const;
    http::Response ask(
        const std::string& method, const std::string& path, const Body& body = [](int) {
            return std::string();
        });
    std::string ask_all(const std::string& path);
    void end(std::int64_t job, const std::string& query);
    std::optional<ClusterJob> ask_accounting(std::int64_t job);
    ClusterJob own_job(RestJob found) const;
    bool is_own(const RestJob& found) const { return found.user.empty() || found.user == user_; }
    [[noreturn]] void fail_denied() const;

    http::Client client_;
    std::string socket_;
    std::string token_file_;
    std::string user_;
    const std::atomic<bool>& stop_;
    int version_ = 0;              // 0: not known
    bool accounting_ = true;       // as far as is known
    std::set<std::int64_t> made_;  // jobs of this process' requests
};

/// What a config names: slurmrestd, or Slurm's commands.
/// @param stop  must outlive the cluster
std::unique_ptr<Cluster> make_cluster(const FleetConfig& fleet, const std::atomic<bool>& stop);

}  // namespace vigil::service
