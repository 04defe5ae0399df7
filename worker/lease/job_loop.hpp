#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "worker/lease/content_cache.hpp"
#include "worker/lease/drain_signals.hpp"
#include "worker/lease/job_runner.hpp"
#include "worker/lease/result_box.hpp"
#include "worker/lease/service_api.hpp"

namespace vigil::worker {

/// Claims jobs, does them one at a time and delivers their results, until told to end.
class JobLoop {
  public:
    /// All but `claim` must outlive this.
    JobLoop(
        ServiceApi& service, JobRunner& jobs, ResultBox& results, StopFlags& flags, Claim claim);

    /// Sends what an earlier worker left, then claims; returns when draining is over. Errors of the
    /// service are logged and tried again, waiting longer each time up to 15 s.
    /// @param until_idle  returns as well when it had neither a job nor a result to send for so
    ///                    long, and tells the service that it ends; nothing: goes on
    /// @throws Error{denied} when the token is refused, Error{conflict} when the protocols differ:
    ///         a person must act
    void run(std::optional<std::chrono::seconds> until_idle = std::nullopt);

    /// One claim, and the job if there was one, with its delivery. A worker that can do no job says
    /// so and waits for none.
    /// @param wait_s  how long the service may wait for a job
    /// @return whether there was a job
    bool run_once(int wait_s);

  private:
    void take_leave();
    void do_job(const Lease& lease);
    void keep_and_deliver(const OutgoingResult& outgoing);
    void send_without_disk(const OutgoingResult& outgoing, const std::string& why);

    ServiceApi& service_;
    JobRunner& jobs_;
    ResultBox& results_;
    StopFlags& flags_;
    Claim claim_;
};

}  // namespace vigil::worker
