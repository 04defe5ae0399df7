#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "service/app/loop.hpp"
#include "service/fleet/fleet_rows.hpp"

namespace vigil::service {

/// Asks a cluster for machines where jobs wait: looks at the queue and at all allocations at once,
/// every ten seconds at most; decides; writes rows, and then acts. Without a fleet in the config,
/// and without an allocation of one before, it does nothing. io thread only.
class FleetLoop : public Loop {
  public:
    /// Makes the cluster that a config names; what it starts ends when the flag turns true.
    using MakeCluster = std::function<std::unique_ptr<Cluster>(
        const FleetConfig& fleet, const std::atomic<bool>& stop)>;

    FleetLoop(const LoopParts& parts, MakeCluster make_cluster);

    /// Runs until stop().
    boost::asio::awaitable<void> run();

    /// One look, and what follows from it.
    boost::asio::awaitable<void> look();

    std::function<void(const std::string& token)> on_revoked = [](const std::string&) {};
    std::function<void()> on_moved = [] {};  ///< jobs may wait again

  private:
    boost::asio::awaitable<void> clear_old(const FleetConfig& fleet, const FleetView& view);
    boost::asio::awaitable<void> choose_cluster(const Config& config);
    boost::asio::awaitable<std::optional<std::string>> ask_cluster(FleetView& view);
    boost::asio::awaitable<void> act(const FleetDecision& decision);
    boost::asio::awaitable<void> start(const FleetConfig& fleet, FleetStart start);
    boost::asio::awaitable<void> request(
        const FleetConfig& fleet, Allocation allocation, std::set<std::string> not_on);
    boost::asio::awaitable<void> drain(FleetDrain one);

    MakeCluster make_cluster_;
    FleetConfig access_;  // as the cluster was made
    Lane<std::unique_ptr<Cluster>> lane_;
    std::set<std::string> drained_;  // nodes, as they were last seen
    std::int64_t drained_at_s_ = 0;
    std::int64_t cleared_at_s_ = 0;
    bool looked_ = false;  // the cluster has answered: nothing of an earlier process is left
    bool blocked_ = true;  // a trouble may be open
};

}  // namespace vigil::service
