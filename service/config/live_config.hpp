#pragma once

#include <atomic>
#include <deque>
#include <utility>

#include "service/config/config.hpp"

namespace vigil::service {

/// The config in force. A reload replaces it while work goes on by the one before, which therefore
/// stays: what `now` gave is valid as long as this object. `now` from any thread, `replace` from
/// one.
class LiveConfig {
  public:
    explicit LiveConfig(Config config) { replace(std::move(config)); }
    LiveConfig(const LiveConfig&) = delete;
    LiveConfig& operator=(const LiveConfig&) = delete;

    /// Ask again for each piece of work, and use one answer throughout it.
    const Config& now() const { return *now_.load(std::memory_order_acquire); }
    void replace(Config config) {
        all_.push_back(std::move(config));
        now_.store(&all_.back(), std::memory_order_release);
    }

  private:
    std::deque<Config> all_;  // some kilobytes for each reload; they keep their places
    std::atomic<const Config*> now_;
};

}  // namespace vigil::service
