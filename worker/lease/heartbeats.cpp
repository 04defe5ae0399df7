#include "worker/lease/heartbeats.hpp"

#include <algorithm>
#include <chrono>

#include "schema/log/log.hpp"
#include "schema/log/service_manager.hpp"
#include "schema/model/error.hpp"

namespace vigil::worker {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds stop_check_interval{500};

/// Three beats in a lease's life, so that one may be lost.
milliseconds interval(std::int64_t ttl_s) {
    constexpr std::int64_t third_of_second_ms = 1000 / 3;
    return milliseconds(std::max<std::int64_t>(ttl_s * third_of_second_ms, 50));
}

}  // namespace

Heartbeats::Heartbeats(
    ServiceApi& service, const Lease& lease, JobControl& control, const StopFlags& flags)
    : service_(service),
      job_(lease.job),
      attempt_(lease.attempt),
      ttl_s_(lease.ttl_s),
      control_(control),
      flags_(flags),
      thread_([this](const std::stop_token& ended) { loop(ended); }) {}

Heartbeats::~Heartbeats() = default;

void Heartbeats::loop(const std::stop_token& ended) {
    auto next = Clock::now() + interval(ttl_s_);
    std::unique_lock lock(mutex_);
    while (!ended.stop_requested()) {
        const auto until = std::min(next, Clock::now() + stop_check_interval);
        woken_.wait_until(lock, ended, until, [] { return false; });
        if (ended.stop_requested()) return;
        if (flags_.stopping()) control_.ask_to_stop("the worker was told to stop");
        if (Clock::now() < next) continue;
        beat();
        notify_manager("WATCHDOG=1");
        next = Clock::now() + interval(ttl_s_);
    }
}

void Heartbeats::beat() {
    try {
        const auto reply = service_.heartbeat(job_, attempt_, control_.progress());
        if (reply.ttl_s > 0) ttl_s_ = reply.ttl_s;
        if (!reply.cancel) return;
        lost_ = true;
        control_.ask_to_stop("the job was cancelled");
    } catch (const Error& error) {
        log_warn("heartbeat.failed", {{"job", job_.value}, {"why", error.what()}});
        if (error.code() != Errc::conflict && error.code() != Errc::not_found) return;
        lost_ = true;
        control_.ask_to_stop("the lease went to another worker");
    }
}

}  // namespace vigil::worker
