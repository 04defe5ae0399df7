#include "worker/lease/job_loop.hpp"

#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

#include "schema/log/log.hpp"
#include "schema/log/service_manager.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "worker/lease/heartbeats.hpp"
#include "worker/lease/trace.hpp"

namespace vigil::worker {

namespace {

using std::chrono::milliseconds;

constexpr int claim_wait_s = 30;
constexpr milliseconds first_pause{500};
constexpr milliseconds longest_pause{15'000};

using Steady = std::chrono::steady_clock;

/// How long a claim may wait. @return 0 or less when the worker was idle for `until_idle`
int claim_wait_within(std::optional<std::chrono::seconds> until_idle, Steady::time_point busy_at) {
    if (!until_idle) return claim_wait_s;
    const auto left =
        std::chrono::ceil<std::chrono::seconds>(busy_at + *until_idle - Steady::now());
    return static_cast<int>(std::min<std::int64_t>(left.count(), claim_wait_s));
}

}  // namespace

JobLoop::JobLoop(
    ServiceApi& service, JobRunner& jobs, ResultBox& results, StopFlags& flags, Claim claim)
    : service_(service), jobs_(jobs), results_(results), flags_(flags), claim_(std::move(claim)) {}

void JobLoop::run(std::optional<std::chrono::seconds> until_idle) {
    auto pause = first_pause;
    auto busy_at = Steady::now();
    while (!flags_.draining()) {
        notify_manager("WATCHDOG=1");
        const auto wait_s = claim_wait_within(until_idle, busy_at);
        if (wait_s <= 0) return take_leave();
        try {
            const bool delivered = results_.deliver(service_);
            if (!delivered || run_once(wait_s)) busy_at = Steady::now();
            if (delivered) {
                if (claim_.cannot_work.empty()) {
                    pause = first_pause;
                    continue;
                }
            }
        } catch (const Error& error) {
            if (flags_.draining()) return;
            const bool hopeless = error.code() == Errc::denied || error.code() == Errc::conflict;
            const auto log = hopeless ? log_error : log_warn;
            log("claim.failed", {{"next_try_ms", pause.count()}, {"why", error.what()}});
            if (hopeless) throw;
        }
        if (flags_.wait(pause)) return;
        pause = std::min(2 * pause, longest_pause);
    }
}

// Nobody misses a worker that said so. Where nobody hears it, the service sees that it is gone.
void JobLoop::take_leave() {
    log_info("worker.idle", {});
    claim_.draining = true;
    try {
        service_.claim(claim_, 0);
    } catch (const Error& error) {
        log_warn("leave.failed", {{"why", error.what()}});
    }
}

bool JobLoop::run_once(int wait_s) {
    claim_.cannot_work = jobs_.why_not();
    const bool able = claim_.cannot_work.empty();
    if (!able) log_error("worker.unfit", {{"why", claim_.cannot_work}});
    const auto lease = service_.claim(claim_, able ? wait_s : 0);
    if (!lease) return false;
    do_job(*lease);
    return true;
}

void JobLoop::do_job(const Lease& lease) {
    const auto trace = trace_of(lease);
    log_info(
        "job.started",
        {{"job", lease.job.value},
         {"attempt", lease.attempt},
         {"purpose", to_string(lease.purpose)},
         {"project", lease.project},
         {"builds", lease.builds.size()},
         {"steps", lease.plan.steps.size()},
         {"traceparent", trace}});
    JobControl control;
    const Heartbeats heartbeats(service_, lease, control, flags_);
    const auto outgoing = jobs_.run(lease, control);
    if (heartbeats.lost()) {
        log_warn(
            "job.dropped",
            {{"job", lease.job.value}, {"why", control.why()}, {"traceparent", trace}});
        return;
    }
    log_info(
        "job.ended",
        {{"job", lease.job.value},
         {"runs", outgoing.result.runs.size()},
         {"failure", outgoing.result.failure},
         {"traceparent", trace}});
    control.set_progress("sending the result");
    keep_and_deliver(outgoing);
}

void JobLoop::keep_and_deliver(const OutgoingResult& outgoing) {
    try {
        results_.keep(outgoing);
    } catch (const Error& error) {
        return send_without_disk(outgoing, error.what());
    }
    auto pause = first_pause;
    while (!results_.deliver(service_)) {
        // Its lease is still renewed meanwhile; what stays behind is sent after a restart.
        if (flags_.stopping() || (flags_.wait(pause) && pause > milliseconds(10'000))) return;
        pause = std::min(2 * pause, longest_pause);
    }
}

void JobLoop::send_without_disk(const OutgoingResult& outgoing, const std::string& why) {
    log_error("result.not_kept", {{"job", outgoing.job.value}, {"why", why}});
    JobResult result = outgoing.result;
    result.builds.clear();  // their contents cannot be promised
    result.runs.clear();
    if (result.failure.empty()) result.failure = why;
    try {
        service_.put_result(
            outgoing.job, outgoing.attempt, wire::write_json(wire::to_json(result)));
    } catch (const Error& error) {
        log_error("result.lost", {{"job", outgoing.job.value}, {"why", error.what()}});
    }
}

}  // namespace vigil::worker
