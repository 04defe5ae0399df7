#include "worker/lease/drain_signals.hpp"

#include <csignal>
#include <pthread.h>
#include <time.h>

#include "schema/log/log.hpp"

namespace vigil::worker {

void StopFlags::drain() {
    {
        const std::lock_guard lock(mutex_);
        draining_ = true;
    }
    changed_.notify_all();
}

void StopFlags::stop() {
    stopping_ = true;
    drain();
}

bool StopFlags::wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [&] { return draining_.load(); });
}

DrainSignals::DrainSignals(StopFlags& flags, std::chrono::seconds drain_time) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    thread_ = std::jthread([&flags, drain_time, signals](const std::stop_token& ended) {
        using Clock = std::chrono::steady_clock;
        auto deadline = Clock::time_point::max();
        while (!ended.stop_requested()) {
            constexpr timespec look_again{0, 250'000'000};
            const int signal = sigtimedwait(&signals, nullptr, &look_again);
            if (signal > 0 && !flags.draining()) {
                log_info("worker.draining", {{"drain_s", drain_time.count()}});
                flags.drain();
                deadline = Clock::now() + drain_time;
            } else if ((signal > 0 || Clock::now() >= deadline) && !flags.stopping()) {
                log_warn("worker.stopping", {{"why", signal > 0 ? "second signal" : "time is up"}});
                flags.stop();
            }
        }
    });
}

}  // namespace vigil::worker
