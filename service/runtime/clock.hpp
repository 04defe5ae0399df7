#pragma once

#include <chrono>
#include <cstdint>

namespace vigil::service {

/// The time of day, UTC. Tests play weeks with a fake one. Any thread.
class Clock {
  public:
    virtual ~Clock() = default;
    virtual std::int64_t now_ns() const = 0;
    virtual std::int64_t now_s() const { return now_ns() / 1'000'000'000; }
};

class SystemClock : public Clock {
  public:
    std::int64_t now_ns() const override {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    }
};

}  // namespace vigil::service
