#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace vigil::worker {

/// Whether this worker shall end: draining finishes the job at hand, stopping does not.
class StopFlags {
  public:
    const std::atomic<bool>& draining() const { return draining_; }
    const std::atomic<bool>& stopping() const { return stopping_; }

    void drain();
    void stop();

    /// Waits, but no longer than until draining begins. @return true when it has begun
    bool wait(std::chrono::milliseconds time);

  private:
    std::atomic<bool> draining_ = false;
    std::atomic<bool> stopping_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
};

/// Turns SIGTERM and SIGINT into flags: the first drains, the second stops, and so does the end of
/// the time to drain. Must be made before any other thread, which then inherit the blocked signals.
class DrainSignals {
  public:
    DrainSignals(StopFlags& flags, std::chrono::seconds drain_time);
    DrainSignals(const DrainSignals&) = delete;
    DrainSignals& operator=(const DrainSignals&) = delete;

  private:
    std::jthread thread_;
};

}  // namespace vigil::worker
