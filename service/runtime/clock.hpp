#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace vigil::service {

/// Two readings at one moment. People read `now_s` and may set it; ages and terms are counted in
/// `steady_s`, which never jumps (docs/decisions.md, 0027).
struct Moment {
    std::int64_t now_s = 0;      ///< time of day, UTC
    std::int64_t steady_s = 0;   ///< the ledger's steady time
    std::int64_t steady_ms = 0;  ///< the same, finer
    /// Where nobody sets the clock the two are the same.
    Moment(std::int64_t both_s) : Moment(both_s, both_s) {}
    Moment(std::int64_t now, std::int64_t steady) : Moment(now, steady, steady * 1000) {}
    Moment(std::int64_t now, std::int64_t steady, std::int64_t fine_ms)
        : now_s(now), steady_s(steady), steady_ms(fine_ms) {}
};

/// Counts the time in which somebody looks: of a longer pause (the process was stopped, the machine
/// slept) only `longest_gap_ns`, for nobody could be heard then.
class SteadyCount {
  public:
    static constexpr std::int64_t longest_gap_ns = 5'000'000'000;

    /// @param base_s     where it goes on
    /// @param monotonic  any clock that never goes back, ns
    SteadyCount(std::int64_t base_s, std::int64_t monotonic_ns)
        : counted_ns_(base_s * 1'000'000'000), last_ns_(monotonic_ns) {}

    void look(std::int64_t monotonic_ns) {
        counted_ns_ +=
            std::clamp(monotonic_ns - last_ns_, std::int64_t{0}, std::int64_t{longest_gap_ns});
        last_ns_ = monotonic_ns;
    }
    std::int64_t steady_s() const { return counted_ns_ / 1'000'000'000; }
    std::int64_t steady_ms() const { return counted_ns_ / 1'000'000; }

  private:
    std::int64_t counted_ns_;
    std::int64_t last_ns_;
};

/// The time of day, UTC, from any thread; and the steady time, from the io thread only. Tests play
/// weeks with a fake one.
class Clock {
  public:
    virtual ~Clock() = default;
    virtual std::int64_t now_ns() const = 0;
    virtual std::int64_t now_s() const { return now_ns() / 1'000'000'000; }
    virtual std::int64_t steady_s() const { return now_s(); }
    virtual std::int64_t steady_ms() const { return steady_s() * 1000; }
    Moment moment() const { return {now_s(), steady_s(), steady_ms()}; }
};

class SystemClock : public Clock {
  public:
    /// @param steady_s  where the steady time goes on: what the ledger has stored
    explicit SystemClock(std::int64_t steady_s = 0) : count_(steady_s, monotonic_ns()) {}

    std::int64_t now_ns() const override {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    }
    std::int64_t steady_s() const override {
        count_.look(monotonic_ns());
        return count_.steady_s();
    }
    std::int64_t steady_ms() const override {
        count_.look(monotonic_ns());
        return count_.steady_ms();
    }

  private:
    static std::int64_t monotonic_ns() {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    }
    mutable SteadyCount count_;
};

}  // namespace vigil::service
