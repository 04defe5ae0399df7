#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "worker/lease/drain_signals.hpp"
#include "worker/lease/job_control.hpp"
#include "worker/lease/service_api.hpp"

namespace vigil::worker {

/// Renews a lease from a thread of its own while it lives, also while draining, and asks the job to
/// stop when the service cancels it or has given it to another worker, or when the worker stops.
class Heartbeats {
  public:
    Heartbeats(
        ServiceApi& service, const Lease& lease, JobControl& control, const StopFlags& flags);
    ~Heartbeats();
    Heartbeats(const Heartbeats&) = delete;
    Heartbeats& operator=(const Heartbeats&) = delete;

    /// Whether the lease is no longer ours: nobody wants the result.
    bool lost() const { return lost_; }

  private:
    void loop(const std::stop_token& ended);
    void beat();

    ServiceApi& service_;
    JobId job_;
    int attempt_;
    std::int64_t ttl_s_;
    JobControl& control_;
    const StopFlags& flags_;
    std::atomic<bool> lost_ = false;
    std::mutex mutex_;
    std::condition_variable_any woken_;
    std::jthread thread_;
};

}  // namespace vigil::worker
