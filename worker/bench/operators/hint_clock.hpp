#pragma once

#include <functional>
#include <time.h>

namespace vigil_bench {

/// What a call takes, the mean of so many: in one thread its CPU time, which other work on the
/// machine does not lengthen; in several the clock on the wall.
inline double taken_ns(const std::function<void()>& work, int times, int threads) {
    const clockid_t clock = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    const auto now_ns = [clock] {
        timespec time{};
        clock_gettime(clock, &time);
        return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
    };
    const double start_ns = now_ns();
    for (int i = 0; i < times; ++i) work();
    return (now_ns() - start_ns) / times;
}

}  // namespace vigil_bench
