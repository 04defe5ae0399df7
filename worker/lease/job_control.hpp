#pragma once

#include <atomic>
#include <mutex>
#include <string>

namespace vigil::worker {

/// What the job's thread and the heartbeat's share.
class JobControl {
  public:
    /// Turns true when the job shall end now: cancelled, lost, or the worker is told to stop.
    const std::atomic<bool>& stop() const { return stop_; }
    void ask_to_stop(const std::string& why) {
        const std::lock_guard lock(mutex_);
        if (!stop_) why_ = why;
        stop_ = true;
    }
    std::string why() const {
        const std::lock_guard lock(mutex_);
        return why_;
    }

    /// One line for people, sent with the next heartbeat.
    void set_progress(const std::string& progress) {
        const std::lock_guard lock(mutex_);
        progress_ = progress;
    }
    std::string progress() const {
        const std::lock_guard lock(mutex_);
        return progress_;
    }

  private:
    std::atomic<bool> stop_ = false;
    mutable std::mutex mutex_;
    std::string why_;
    std::string progress_;
};

}  // namespace vigil::worker
